"""How much faster the virtual MI300X is with two host threads than with one, with time on.

Counted is the processor time of the busiest thread: what the run takes where each thread has a core
of its own, which a busy machine cannot show by the clock on the wall.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.random_kernels import random_programs
from benchmarks.virtual_device import SIZES, compile_speed
from rocm_perf_lab.vrocm.prefix import ensure_prefix

LOOK_S = 0.01


def busiest_thread(command: Sequence[str], timing: str, threads: int) -> float:
    """Processor seconds. The program's own thread is not counted: it prepares data and waits."""
    environment = {**os.environ, "VROCM_TIMING": timing, "VROCM_THREADS": str(threads)}
    nanoseconds: dict[str, int] = {}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            for task in Path(f"/proc/{process.pid}/task").glob("*"):
                if task.name != str(process.pid):
                    note(task, nanoseconds)
            time.sleep(LOOK_S)
    return max(nanoseconds.values(), default=0) / 1e9


def note(task: Path, nanoseconds: dict[str, int]) -> None:
    try:
        nanoseconds[task.name] = int((task / "schedstat").read_text().split()[0])
    except (OSError, IndexError):
        return  # it has just ended


def programs(folder: Path, seed: int, only: Sequence[int]) -> Iterator[tuple[str, list[str]]]:
    prefix = ensure_prefix(lambda step: None)
    speed = compile_speed(prefix, folder)
    for what, size in SIZES.items():
        yield what, [str(speed), what, str(size)]
    yield from random_programs(seed, prefix / "bin" / "hipcc", folder, only)


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timing", choices=("1", "full"), default="1", help="VROCM_TIMING")
    parser.add_argument("--random", type=int, default=77, metavar="SEED", help="of the kernels")
    parser.add_argument("--only", type=int, nargs="*", default=range(8), help="their numbers")
    arguments = parser.parse_args(list(argv))
    logarithms = []
    with tempfile.TemporaryDirectory() as folder:
        chosen = programs(Path(folder), arguments.random, arguments.only)
        for name, command in chosen:
            one, two = (busiest_thread(command, arguments.timing, n) for n in (1, 2))
            if not two:
                continue  # too short to be seen
            logarithms.append(math.log(one / two))
            print(f"{name:12} {one:7.3f} s  {two:7.3f} s  {one / two:5.2f}x", flush=True)
    if not logarithms:
        return 1
    print(f"geometric mean {math.exp(sum(logarithms) / len(logarithms)):.2f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
