"""Times of the virtual MI300X from sampled waves, against those from all of them.

Runs programs three times: without a timing model, as usual, and with every wave simulated
(VROCM_TIMING=full). Without a list of its own it takes the examples; a list is a text file with one
program a line: its name, then the command with its arguments. Or it draws kernels with loops.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from benchmarks.random_kernels import random_programs
from rocm_perf_lab.vrocm.prefix import ensure_prefix

ROOT = Path(__file__).resolve().parent.parent
GOAL_MEAN, GOAL_WORST = 0.03, 0.15
SECONDS = 120.0
LEAST_PROCESSOR_S = 0.02  # five ticks of a clock of 250 Hz


@dataclass(frozen=True)
class Mode:
    device_us: float  # sum over all dispatches
    dispatches: int
    processor_s: float


@dataclass(frozen=True)
class Row:
    name: str
    function: Mode
    sampled: Mode
    full: Mode

    @property
    def error(self) -> float:
        return self.sampled.device_us / self.full.device_us - 1

    @property
    def cost(self) -> Optional[float]:
        """Processor time with the sampled model over that without; None where that is too short."""
        if self.function.processor_s < LEAST_PROCESSOR_S:
            return None
        return self.sampled.processor_s / self.function.processor_s


def run(command: Sequence[str], timing: str, seconds: float) -> Optional[Mode]:
    """One run of the program, or None when it fails or does not end in time."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "VROCM_TRACE": folder,
            "VROCM_TIMING": timing,
            "VROCM_THREADS": "1",
        }
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(
                command,
                env=environment,
                cwd=Path(command[0]).parent,
                timeout=seconds,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            return None
        spans = [end - start for start, end in dispatches(Path(folder))]
    return Mode(sum(spans) / 1e3, len(spans), after.ru_utime - before.ru_utime)


def dispatches(folder: Path) -> Iterator[tuple[int, int]]:
    for file in folder.iterdir():
        for line in file.read_text().splitlines():
            record = json.loads(line)
            if record["record"] == "dispatch":
                yield record["start_ns"], record["end_ns"]


def compare(name: str, command: Sequence[str], seconds: float) -> Optional[Row]:
    modes = []
    for timing in ("0", "1", "full"):
        mode = run(command, timing, seconds)
        if mode is None or mode.dispatches == 0:
            return None
        modes.append(mode)
    return Row(name, *modes)


def own_programs(prefix: Path, folder: Path) -> Iterator[tuple[str, list[str]]]:
    for source in sorted((ROOT / "examples").glob("*.hip")):
        program = folder / source.stem
        command = [str(prefix / "bin" / "hipcc"), "-O3", str(source), "-o", str(program)]
        subprocess.run(command, check=True)
        yield source.stem, [str(program)]


def listed_programs(file: Path) -> Iterator[tuple[str, list[str]]]:
    for line in file.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, *command = shlex.split(line)
            yield name, command


def chosen_programs(
    listed: Optional[Path], seed: Optional[int], only: Sequence[int], folder: Path
) -> Iterator[tuple[str, list[str]]]:
    if listed:
        return listed_programs(listed)
    prefix = ensure_prefix(lambda step: None)
    if seed is not None:
        return random_programs(seed, prefix / "bin" / "hipcc", folder, only)
    return own_programs(prefix, folder)


def print_rows(rows: Sequence[Row], unfinished: Sequence[str]) -> int:
    if not rows:
        print("no program ended with a dispatch")
        return 1
    errors = [abs(row.error) for row in rows]
    mean = math.exp(sum(math.log1p(error) for error in errors) / len(errors)) - 1
    print(f"{len(rows)} programs: geometric mean of the errors {mean:.1%}, worst {max(errors):.1%}")
    print(f"(goals: {GOAL_MEAN:.0%} and {GOAL_WORST:.0%}, over whole durations)")
    costs = sorted(row.cost for row in rows if row.cost is not None)
    if costs:
        print(
            f"cost of time over function: median {costs[len(costs) // 2]:.2f}x, most "
            f"{costs[-1]:.2f}x, of {len(costs)} programs that run long enough to tell"
        )
    if unfinished:
        print("failed, without dispatches or not ended: " + ", ".join(unfinished))
    return int(mean > GOAL_MEAN or max(errors) > GOAL_WORST)


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, help="a list of programs, see above")
    parser.add_argument("--random", type=int, metavar="SEED", help="kernels drawn with this seed")
    parser.add_argument("--only", type=int, nargs="+", default=(), help="these of them, by number")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of each run")
    arguments = parser.parse_args(list(argv))
    rows: list[Row] = []
    unfinished: list[str] = []
    print(f"{'program':24} {'dispatches':>10} {'full us':>12} {'sampled us':>12} {'error':>8} cost")
    with tempfile.TemporaryDirectory() as folder:
        for name, command in chosen_programs(
            arguments.programs, arguments.random, arguments.only, Path(folder)
        ):
            row = compare(name, command, arguments.seconds)
            if row is None:
                unfinished.append(name)
                continue
            rows.append(row)
            print(
                f"{name:24} {row.full.dispatches:10} {row.full.device_us:12.1f} "
                f"{row.sampled.device_us:12.1f} {row.error:+8.1%} "
                + ("-" if row.cost is None else f"{row.cost:.2f}x"),
                flush=True,
            )
    return print_rows(rows, unfinished)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
