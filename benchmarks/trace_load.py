"""Loading a rocpd database of a million dispatches, against SQLite and AMD's own view.

    python -m benchmarks.trace_load [--rows N] [--keep FILE]

Every measurement runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.kernels.stats import kernel_statistics
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import (
    UNKNOWN,
    Agent,
    Dispatches,
    Kernel,
    Process,
    Queue,
    Stream,
    Trace,
)
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

ROWS, STREAMS, KERNELS = 1_000_000, 8, 60
REPETITIONS = 5
# Targets: load within five bare scans, statistics before AMD's view, and little memory.
MOST_SCANS, MOST_MEGABYTES = 5.0, 600


def make_database(path: Path, rows: int) -> None:
    """Launches of 60 kernels on 8 streams with sizes and times as real recordings have them."""
    random = np.random.default_rng(1)
    kernel = random.integers(0, KERNELS, rows, dtype=np.int32)
    stream = random.integers(0, STREAMS, rows, dtype=np.int32)
    start = 1_071_423_114_883_652 + np.cumsum(random.integers(100, 3000, rows))
    block = np.ones((rows, 3), dtype=np.int64)
    block[:, 0] = 64 << (kernel % 5)
    grid = np.ones((rows, 3), dtype=np.int64)
    grid[:, 0] = block[:, 0] * (kernel + 1) * 37
    numbers = np.arange(1, rows + 1, dtype=np.int64)
    dispatches = Dispatches(
        start=start,
        end=start + random.integers(1000, 200_000, rows),
        kernel=kernel,
        agent=np.zeros(rows, dtype=np.int32),
        queue=stream,
        stream=stream,
        process=np.zeros(rows, dtype=np.int32),
        thread=np.full(rows, 28, dtype=np.int64),
        dispatch_id=numbers,
        stack_id=numbers,
        grid=grid,
        block=block,
        lds=(kernel % 3).astype(np.int64) * 16384,
        scratch=np.zeros(rows, dtype=np.int64),
        graph_exec=np.full(rows, UNKNOWN, dtype=np.int64),
    )
    trace = Trace(
        source="benchmark",
        processes=(Process("", 28, "./app", "box", "benchmark"),),
        agents=(Agent(0, 2, "GPU", "gfx942", "AMD Instinct MI300X", 0),),
        kernels=tuple(
            Kernel(0, n + 1, f"kernel_{n}(float*, int)", f"_Z{n}.kd") for n in range(KERNELS)
        ),
        queues=tuple(Queue(0, 16 + n, f"Queue {n}") for n in range(STREAMS)),
        streams=tuple(Stream(0, n, f"Stream {n}") for n in range(STREAMS)),
        dispatches=dispatches,
    )
    write_rocpd(trace, path)


def _query(path: Path, statement: str) -> None:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.execute(statement).fetchall()
    connection.close()


def _five_columns(path: Path) -> None:
    _query(path, "SELECT kernel_id, stream_id, agent_id, start, end FROM rocpd_kernel_dispatch")


MEASUREMENTS: dict[str, Callable[[Path], object]] = {
    "bare SELECT SUM(end - start)": lambda path: _query(
        path, "SELECT SUM(end - start) FROM rocpd_kernel_dispatch"
    ),
    "view top_kernels": lambda path: _query(path, "SELECT * FROM top_kernels"),
    "five columns through sqlite3": _five_columns,
    "load for a profile": lambda path: load([path], parts=Parts.COUNTERS),
    "load and kernel statistics": lambda path: kernel_statistics(
        load([path], parts=Parts.COUNTERS)
    ),
    "load with links to API calls": lambda path: load([path], parts=Parts.LINKS),
}
SCAN, VIEW, _, LOAD, STATISTICS, _ = MEASUREMENTS


def measure_here(
    work: Callable[[Path], object], path: Path, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, float]:
    """Best time in seconds by this clock, and peak memory in MB of this process."""
    best = float("inf")
    for _ in range(REPETITIONS):
        begin = clock()
        work(path)
        best = min(best, clock() - begin)
    return best, _peak_megabytes()


def _peak_megabytes() -> float:
    """Of this program alone: ru_maxrss would count what the parent held before exec."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def measure(name: str, path: Path) -> tuple[float, float]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.trace_load",
        "--measure",
        name,
        "--keep",
        str(path),
    ]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, megabytes = output.split()
    return float(seconds), float(megabytes)


def report(path: Path) -> int:
    rows = len(load([path], parts=Parts.DISPATCHES).dispatches)
    print(f"{rows:,} dispatches, {path.stat().st_size / 1e6:.0f} MB, best of {REPETITIONS}")
    print(f"{'':32}{'seconds':>9}{'scans':>8}{'peak MB':>9}")
    results = {name: measure(name, path) for name in MEASUREMENTS}
    scan = results[SCAN][0]
    for name, (seconds, megabytes) in results.items():
        print(f"{name:32}{seconds:9.3f}{seconds / scan:8.1f}{megabytes:9.0f}")
    checks = {
        f"load takes at most {MOST_SCANS:g} scans": results[LOAD][0] <= MOST_SCANS * scan,
        "load and statistics before top_kernels": results[STATISTICS][0] < results[VIEW][0],
        f"peak below {MOST_MEGABYTES} MB": results[STATISTICS][1] < MOST_MEGABYTES,
    }
    for text, kept in checks.items():
        print(f"{'kept  ' if kept else 'MISSED'} {text}")
    return 0 if all(checks.values()) else 1


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.trace_load", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--keep", type=Path, help="keep the database here, and reuse it")
    parser.add_argument("--measure", choices=list(MEASUREMENTS), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(*measure_here(MEASUREMENTS[options.measure], options.keep))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = options.keep or Path(folder, "benchmark_results.db")
        if not path.exists():
            make_database(path, options.rows)
        return report(path)


if __name__ == "__main__":
    sys.exit(main())
