"""How fast the virtual MI300X executes, with tinygrad's emulator beside it.

Everything is processor time of one host thread. With ``--tinygrad DIR``, a checkout of it, the
peer does the same work in the same run, in turns with ours, and the ratios are judged; without it
its figures of another day are shown, on which no ratio can be judged.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from benchmarks.peers.tinygrad_process import Tinygrad
from rocm_perf_lab.vrocm.prefix import ensure_prefix

KERNELS = Path(__file__).parent / "kernels"
# tinygrad, gfx950 emulator, warm, best of its runs, wall seconds on an idle machine of this class
PEER_OF_ANOTHER_DAY = {"add": 0.96, "product": 0.63}
SIZES = {"add": 1 << 20, "product": 256, "mixed": 1 << 18}
GROWTH = tuple(1 << exponent for exponent in (16, 18, 20, 22, 24))
LANES = 64
LEAST_RATE = 2e9  # lane-instructions per second and core, of the mixed kernel
LEAST_RATIO = {"add": 60.0, "product": 25.0}
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


class Row(NamedTuple):
    what: str
    seconds: float
    rate: float  # lane-instructions per second
    peer: Optional[float]  # seconds
    judged: bool  # the peer's were taken in this run

    @property
    def ratio(self) -> Optional[float]:
        return self.peer / self.seconds if self.peer else None

    @property
    def missed(self) -> bool:
        if self.what == "mixed":
            return self.rate < LEAST_RATE
        return self.judged and (self.ratio or 0) < LEAST_RATIO[self.what]

    def __str__(self) -> str:
        peer = f"{self.peer:.3f}" if self.peer else "-"
        ratio = f"{self.ratio:.0f}x" if self.ratio else "-"
        name = f"{self.what} {SIZES[self.what]}"
        return f"{name:22} {self.seconds:9.4f} {self.rate / 1e9:14.2f} {peer:>11} {ratio:>7}"


def rows(program: Path, folder: Path, peer: Optional[Tinygrad], repeat: int) -> list[Row]:
    """Best of the runs. Ours and the peer's take turns, so that a slow moment hits both."""
    ours = dict.fromkeys(SIZES, float("inf"))
    theirs: dict[str, float] = dict.fromkeys(LEAST_RATIO, float("inf"))
    for what in theirs:
        if peer:
            peer.seconds_of(what, SIZES[what])  # compiles
    for _ in range(repeat):
        for what, size in SIZES.items():
            ours[what] = min(ours[what], times_of(program, what, size, 1).processor)
            if peer and what in theirs:
                theirs[what] = min(theirs[what], peer.seconds_of(what, size))
    known = theirs if peer else PEER_OF_ANOTHER_DAY

    def rate(what: str) -> float:
        return wave_instructions(program, what, SIZES[what], folder) * LANES / ours[what]

    return [Row(w, ours[w], rate(w), known.get(w), peer is not None) for w in SIZES]


def host_speed(program: Path, repeat: int) -> tuple[float, float]:
    """Billions of dependent steps per second, and GB/s of a copy."""
    runs = [times_of(program, "host", 0, 1) for _ in range(repeat)]
    return max(run[0] for run in runs), max(run[1] for run in runs)


def print_rows(found: Sequence[Row]) -> None:
    print(f"{'kernel':22} {'seconds':>9} {'G lane-inst/s':>14} {'tinygrad s':>11} {'ratio':>7}")
    for row in found:
        print(row)
    targets = ", ".join(f"{what} {least:.0f}x" for what, least in LEAST_RATIO.items())
    print(f"(one host thread, processor time; targets: mixed {LEAST_RATE / 1e9:.0f}, {targets})")
    if not found[0].judged:
        print("(tinygrad's seconds are of another day: ratios are not judged. --tinygrad DIR)")


def growth(program: Path, repeat: int) -> float:
    def cost(size: int) -> float:
        runs = (times_of(program, "add", size, 1).processor for _ in range(repeat))
        return min(runs) / size * 1e9

    costs = [cost(size) for size in GROWTH]
    for size, nanoseconds in zip(GROWTH, costs):
        print(f"add {size:>9}: {nanoseconds:6.2f} ns per element")
    return costs[-1] / costs[0]


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="runs per row; the best counts")
    parser.add_argument(
        "--tinygrad", type=Path, metavar="DIR", help="run this checkout beside ours"
    )
    arguments = parser.parse_args(list(argv))
    prefix = ensure_prefix(lambda step: None)
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as opened:
        folder = Path(temporary)
        program = compile_speed(prefix, folder)
        chain, copy = host_speed(program, arguments.repeat)
        print(f"this host now: {chain:.2f} G dependent steps/s, copies {copy:.1f} GB/s")
        peer = None
        if arguments.tinygrad:
            peer = opened.enter_context(Tinygrad(arguments.tinygrad, folder / "peer-cache"))
        found = rows(program, folder, peer, arguments.repeat)
        print_rows(found)
        print()
        grown = growth(program, arguments.repeat)
        print(f"largest against smallest: {grown:.2f} (target at most {MOST_GROWTH})")
        startup = startup_seconds(program)
        print(f"start-up of a HIP program: {startup * 1e3:.0f} ms (target 100 ms)")
    missed = any(row.missed for row in found) or grown > MOST_GROWTH or startup > MOST_STARTUP_S
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
