"""How fast the virtual MI300X executes, with tinygrad's emulator beside it.

The peer's figures were measured on a machine of the same class (2 shared cores); they are wall
seconds for the same work on its fastest CDNA target. Ours are taken in this run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from rocm_perf_lab.vrocm.prefix import ensure_prefix

KERNELS = Path(__file__).parent / "kernels"
PEER_SECONDS = {"add": 0.96, "product": 0.63}  # tinygrad, gfx950 emulator, warm, best of its runs
SIZES = {"add": 1 << 20, "product": 256, "mixed": 1 << 18}
GROWTH = tuple(1 << exponent for exponent in (16, 18, 20, 22, 24))
LANES = 64
LEAST_RATE = 0.5e9  # lane-instructions per second and core
LEAST_RATIO = 20.0
MOST_GROWTH = 1.25  # cost per element at the largest size against the smallest
MOST_STARTUP_S = 0.1


def compile_speed(prefix: Path, folder: Path) -> Path:
    program = folder / "speed"
    command = [str(prefix / "bin" / "hipcc"), "-O3", str(KERNELS / "speed.hip"), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


class Seconds(NamedTuple):
    wall: float
    processor: float


def times_of(
    program: Path, what: str, size: int, threads: int, variables: Optional[dict[str, str]] = None
) -> Seconds:
    environment = {**os.environ, "VROCM_THREADS": str(threads), **(variables or {})}
    done = subprocess.run(
        [str(program), what, str(size)], env=environment, check=True, capture_output=True, text=True
    )
    wall, processor = map(float, done.stdout.split())
    return Seconds(wall, processor)


def seconds_of(
    program: Path, what: str, size: int, threads: int, variables: Optional[dict[str, str]] = None
) -> float:
    return times_of(program, what, size, threads, variables).wall


def best_seconds(program: Path, what: str, variables: dict[str, str], repeat: int) -> float:
    """Of a kernel at its usual size, on one host thread."""
    return min(seconds_of(program, what, SIZES[what], 1, variables) for _ in range(repeat))


def wave_instructions(program: Path, what: str, size: int, folder: Path) -> int:
    """Executed by one launch, from the runtime's own record of it."""
    traces = folder / f"trace-{what}-{size}"
    traces.mkdir()
    environment = {**os.environ, "VROCM_TRACE": str(traces), "VROCM_TRACE_DOMAINS": "kernel"}
    subprocess.run(
        [str(program), what, str(size)], env=environment, check=True, capture_output=True
    )
    (file,) = traces.glob("*.jsonl")
    records = (json.loads(line) for line in file.read_text().splitlines())
    (_, second) = (r for r in records if r["record"] == "dispatch")
    return int(second["wave_instructions"])


def startup_seconds(program: Path) -> float:
    def once() -> float:
        start = time.perf_counter()
        subprocess.run([str(program), "add", "64"], check=True, capture_output=True)
        return time.perf_counter() - start

    return min(once() for _ in range(5))


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="runs per row; the best counts")
    arguments = parser.parse_args(list(argv))
    prefix = ensure_prefix(lambda step: None)
    missed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        program = compile_speed(prefix, folder)

        def best(what: str, size: int, threads: int) -> float:
            runs = (seconds_of(program, what, size, threads) for _ in range(arguments.repeat))
            return min(runs)

        print(f"{'kernel':22} {'seconds':>9} {'G lane-inst/s':>14} {'tinygrad s':>11} {'ratio':>7}")
        for what, size in SIZES.items():
            seconds = best(what, size, 1)
            rate = wave_instructions(program, what, size, folder) * LANES / seconds
            peer = PEER_SECONDS.get(what)
            ratio = peer / seconds if peer else None
            missed += (
                rate < LEAST_RATE if what == "mixed" else ratio is not None and ratio < LEAST_RATIO
            )
            print(
                f"{what + ' ' + str(size):22} {seconds:9.4f} {rate / 1e9:14.2f} "
                f"{peer if peer else '-':>11} {f'{ratio:.0f}x' if ratio else '-':>7}"
            )
        print("(one host thread; targets: mixed at least 0.5, ratios at least 20x)")
        print()
        costs = [best("add", size, 1) / size * 1e9 for size in GROWTH]
        for size, cost in zip(GROWTH, costs):
            print(f"add {size:>9}: {cost:6.2f} ns per element")
        growth = costs[-1] / costs[0]
        print(f"largest against smallest: {growth:.2f} (target at most {MOST_GROWTH})")
        missed += growth > MOST_GROWTH
        startup = startup_seconds(program)
        print(f"start-up of a HIP program: {startup * 1e3:.0f} ms (target 100 ms)")
        missed += startup > MOST_STARTUP_S
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
