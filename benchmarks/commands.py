"""The commands that users run, whole: many kernels, CSV beside rocpd, and the start of each verb.

    python -m benchmarks.commands [--part names|csv|dispatches|start] [--million]

Every command is a process of its own; its processor time (user and system) and peak memory are
what the system says of it. Limits were set before the runs: 100,000 distinct names within 5 s, a
million within 2 GB, a million dispatches as CSV within 4 times the database, their critical path
with its what-ifs within 15 bare scans of their table, their profile before AMD's own view of it, a
verb within 0.25 s. The start of Python and of the verb is in all of them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from benchmarks import critical_path
from benchmarks.trace_load import make_database
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import Kernel
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

REPETITIONS = 3
MOST_SECONDS_NAMES, MOST_MEGABYTES, MOST_OVER_ROCPD, MOST_START = 5.0, 2000.0, 4.0, 0.25
MOST_SCANS, MOST_OF_VIEW = 15.0, 1.0
SCAN = "SELECT SUM(end - start) FROM rocpd_kernel_dispatch"
VIEW = "SELECT * FROM top_kernels"
_QUERY = """
import sqlite3, sys, time
begin = time.process_time()
sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(sys.argv[2]).fetchall()
print(time.process_time() - begin)
"""
_NO_BYTECODE = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
VERBS = (
    "profile", "explain", "compare", "judge", "evidence", "roofs", "isolate", "replay", "verify",
    "optimize", "llm-optimize", "prompt", "autotune", "doctor", "vrocm", "examples",
)  # fmt: skip


def cost(words: Sequence[str], repetitions: int = REPETITIONS) -> tuple[float, float]:
    """Best processor time in seconds, and largest peak memory in MB, of ``rocm-perf WORDS``."""
    best, peak = float("inf"), 0.0
    for _ in range(repetitions):
        process = subprocess.Popen(
            [sys.executable, "-m", "rocm_perf_lab.cli.main", *words],
            stdout=subprocess.DEVNULL,
            env=_compiled_once(),
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"rocm-perf {' '.join(words)} ended with {process.returncode}")
        best = min(best, usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss / 1024)
    return best, peak


def _compiled_once() -> dict[str, str]:
    """What was installed is compiled; a source tree may forbid that, and is slower each time."""
    kept = {name: value for name, value in os.environ.items() if name not in _NO_BYTECODE}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "rocm-perf-bytecode")}


def make_names(path: Path, names: int) -> None:
    """A launch or more of every kernel, with names as long as those of templates are."""
    make_database(path, max(names, 1000))
    trace = load([path])
    kernel = np.arange(len(trace.dispatches), dtype=np.int32) % names
    kernels = tuple(
        Kernel(0, n + 1, f"void ns::kernel<float, {n}, (bool){n % 2}>(float const*, int)", None)
        for n in range(names)
    )
    path.unlink()
    write_rocpd(
        replace(trace, kernels=kernels, dispatches=replace(trace.dispatches, kernel=kernel)), path
    )


def row(what: str, value: float, unit: str, limit: float) -> bool:
    met = value <= limit
    print(f"{what:52}{value:10.2f} {unit:9}(at most {limit:g}){'' if met else '   MISSED'}")
    return met


def names(folder: Path, million: bool) -> bool:
    path = folder / "names_results.db"
    make_names(path, 100_000)
    met = True
    for verb in ("profile", "explain"):
        seconds, megabytes = cost([verb, "--from", str(path)])
        print(f"{'':52}{megabytes:10.0f} MB")
        met &= row(f"{verb}, 100,000 distinct names", seconds, "s", MOST_SECONDS_NAMES)
    if million:
        path.unlink()
        make_names(path, 1_000_000)
        for verb in ("profile", "explain"):
            seconds, megabytes = cost([verb, "--from", str(path)], 1)
            print(f"{'':52}{seconds:10.1f} s")
            met &= row(f"{verb}, 1,000,000 distinct names", megabytes, "MB", MOST_MEGABYTES)
    return met


def csv(folder: Path, _million: bool) -> bool:
    path = folder / "run_results.db"
    make_database(path, 1_000_000)
    write_csv(load([path]), folder / "csv", "run")
    base, _ = cost(["profile", "--from", str(path)])
    text, _ = cost(["profile", "--from", str(folder / "csv")])
    print(f"{'':52}{base:10.2f} s as rocpd, {text:.2f} s as CSV")
    return row("profile, 1,000,000 dispatches as CSV", text / base, "x rocpd", MOST_OVER_ROCPD)


def dispatches(folder: Path, _million: bool) -> bool:
    path = folder / "run_results.db"
    make_database(path, 1_000_000)
    view, (seconds, megabytes) = query(path, VIEW), cost(["profile", "--from", str(path)])
    print(f"{'':52}{seconds:10.2f} s, {megabytes:.0f} MB, AMD's view {view:.2f} s")
    met = row("profile, 1,000,000 dispatches", seconds / view, "x view", MOST_OF_VIEW)
    path.unlink()
    critical_path.make_database(path, 1_000_000)
    words = ["profile", "--critical-path", "--from", str(path)]
    scan, (seconds, megabytes) = query(path, SCAN), cost(words)
    print(f"{'':52}{seconds:10.2f} s, {megabytes:.0f} MB, a scan {scan:.3f} s")
    return row("profile --critical-path, 1,000,000", seconds / scan, "scans", MOST_SCANS) and met


def query(path: Path, statement: str) -> float:
    """Best processor time of a statement alone: Python's start is not in it."""
    words = [sys.executable, "-c", _QUERY, str(path), statement]
    runs = [subprocess.run(words, stdout=subprocess.PIPE, check=True) for _ in range(REPETITIONS)]
    return min(float(run.stdout) for run in runs)


def start(folder: Path, _million: bool) -> bool:
    path = folder / "small_results.db"
    make_database(path, 100)
    met = True
    for verb in VERBS:
        met &= row(f"{verb} --help", cost([verb, "--help"])[0], "s", MOST_START)
    seconds, _ = cost(["profile", "--from", str(path)])
    return row("profile --from, 100 dispatches", seconds, "s", MOST_START) and met


PARTS: dict[str, Callable[[Path, bool], bool]] = {
    "names": names,
    "csv": csv,
    "dispatches": dispatches,
    "start": start,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--million", action="store_true", help="a million distinct names, too")
    arguments = parser.parse_args()
    met = True
    for part in [arguments.part] if arguments.part else PARTS:
        with tempfile.TemporaryDirectory() as folder:
            met &= PARTS[part](Path(folder), arguments.million)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
