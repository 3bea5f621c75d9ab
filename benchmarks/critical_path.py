"""The critical path of a million dispatches, end to end, against a bare scan of their table.

    python -m benchmarks.critical_path [--rows N] [--keep FOLDER] [--all-arguments]

A recording of a program with 8 streams: every dispatch has its launching call, and every 64th is
followed by an event that another stream waits for. Every measurement runs in a process of its own.
The calls that order work have their arguments, and one launch per stream; with --all-arguments
every launch has five, as rocprofv3 records them.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.trace_load import REPETITIONS, measure_here
from rocm_perf_lab.analysis.path.critical_path import critical_paths
from rocm_perf_lab.cli.main import main as rocm_perf
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import (
    UNKNOWN,
    Agent,
    ApiCalls,
    Dispatches,
    IntColumn,
    Kernel,
    Process,
    Queue,
    Stream,
    Trace,
)
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

ROWS, STREAMS, KERNELS, DISPATCHES_PER_EVENT = 1_000_000, 8, 60, 64
MOST_SCANS, MOST_MEGABYTES, MOST_GROWTH = 12.0, 1500, 1.2
MOST_COMMAND_SCANS = 15.0
PARTS = Parts.LINKS | Parts.COPIES | Parts.API_CALLS
LAUNCH, RECORD, WAIT = range(3)
STRINGS = ("hipLaunchKernel", "hipEventRecord", "hipStreamWaitEvent", "HIP_RUNTIME_API_EXT")
LAUNCH_ARGUMENTS = (
    ("function_address", "const void*", "0x2042f8"),
    ("numBlocks", "dim3", "{z=1, y=1, x=64}"),
    ("dimBlocks", "dim3", "{z=1, y=1, x=64}"),
    ("sharedMemBytes", "unsigned long", "0"),
)
BEGIN = 1_071_423_114_883_652


def make_database(path: Path, rows: int, *, all_arguments: bool = False) -> None:
    random = np.random.default_rng(1)
    pairs = rows // DISPATCHES_PER_EVENT
    name = np.full(rows + 2 * pairs, LAUNCH, dtype=np.int32)
    events = (np.arange(1, pairs + 1) * (DISPATCHES_PER_EVENT + 2)) - 2
    name[events], name[events + 1] = RECORD, WAIT
    start = BEGIN + np.cumsum(random.integers(400, 1200, len(name)))
    launches = np.flatnonzero(name == LAUNCH)
    stream = random.integers(1, STREAMS + 1, len(name))
    trace = Trace(
        source="benchmark",
        processes=(Process("", 28, "./app", "box", "benchmark"),),
        agents=(Agent(0, 2, "GPU", "gfx942", "AMD Instinct MI300X", 0),),
        kernels=tuple(Kernel(0, n + 1, f"kernel_{n}(float*)", f"_Z{n}.kd") for n in range(KERNELS)),
        queues=tuple(Queue(0, 16 + n, f"Queue {n}") for n in range(STREAMS)),
        streams=tuple(Stream(0, n, f"Stream {n}") for n in range(1, STREAMS + 1)),
        strings=STRINGS,
        dispatches=_dispatches(random, start[launches], stream[launches], launches + 1),
        api_calls=_calls(name, start),
        api_arguments=_Arguments(
            name, stream, set(_first_launches(stream, launches)), all_arguments
        ),
    )
    write_rocpd(trace, path)


def _first_launches(stream: IntColumn, launches: IntColumn) -> list[int]:
    return [int(launches[np.argmax(stream[launches] == n)]) for n in range(1, STREAMS + 1)]


def _calls(name: np.ndarray, start: IntColumn) -> ApiCalls:
    numbers = np.arange(1, len(name) + 1, dtype=np.int64)
    return ApiCalls(
        start=start,
        end=start + 350,
        name=name,
        category=np.full(len(name), len(STRINGS) - 1, dtype=np.int32),
        process=np.zeros(len(name), dtype=np.int32),
        thread=np.full(len(name), 28, dtype=np.int64),
        stack_id=numbers,
        parent_stack_id=np.zeros(len(name), dtype=np.int64),
        event_id=numbers,
    )


def _dispatches(
    random: np.random.Generator, submitted: IntColumn, stream: IntColumn, stack_id: IntColumn
) -> Dispatches:
    """In each stream one after the other; events delay nothing here, which changes no cost."""
    rows = len(submitted)
    duration = random.integers(1000, 11_000, rows)
    begin = np.empty(rows, dtype=np.int64)
    for number in range(1, STREAMS + 1):
        own = np.flatnonzero(stream == number)
        done = np.cumsum(duration[own])
        # begin = max(submitted, end of the one before), written as a running maximum
        begin[own] = np.maximum.accumulate(submitted[own] + 900 - (done - duration[own]))
        begin[own] += done - duration[own]
    kernel = random.integers(0, KERNELS, rows, dtype=np.int32)
    block = np.ones((rows, 3), dtype=np.int64)
    return Dispatches(
        start=begin,
        end=begin + duration,
        kernel=kernel,
        agent=np.zeros(rows, dtype=np.int32),
        queue=(stream - 1).astype(np.int32),
        stream=(stream - 1).astype(np.int32),
        process=np.zeros(rows, dtype=np.int32),
        thread=np.full(rows, 28, dtype=np.int64),
        dispatch_id=np.arange(1, rows + 1, dtype=np.int64),
        stack_id=stack_id.astype(np.int64),
        grid=block * 64,
        block=block,
        lds=np.zeros(rows, dtype=np.int64),
        scratch=np.zeros(rows, dtype=np.int64),
        graph_exec=np.full(rows, UNKNOWN, dtype=np.int64),
    )


class _Arguments:
    """Arguments of event calls, and of one launch per stream, from which handles are learnt."""

    def __init__(
        self, name: np.ndarray, stream: IntColumn, launches: set[int], of_every_launch: bool
    ) -> None:
        self._name, self._stream, self._launches = name.tolist(), stream.tolist(), launches
        self._of_every_launch = of_every_launch

    def __call__(self, row: int) -> tuple[tuple[str, str, str], ...]:
        handle = ("stream", "ihipStream_t*", hex(0x5000 + self._stream[row]))
        if self._name[row] == LAUNCH and self._of_every_launch:
            return (*LAUNCH_ARGUMENTS, handle)
        if self._name[row] == LAUNCH:
            return (handle,) if row in self._launches else ()
        event = ("event", "ihipEvent_t*", hex(0x9000 + row // (DISPATCHES_PER_EVENT + 2) % 256))
        return (event, handle)


def _scan(path: Path) -> None:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.execute("SELECT SUM(end - start) FROM rocpd_kernel_dispatch").fetchall()
    connection.close()


def _command(path: Path) -> None:
    """What the user runs, with its default what-ifs, and the page that it prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        rocm_perf(["profile", "--critical-path", "--from", str(path)])


MEASUREMENTS: dict[str, Callable[[Path], object]] = {
    "bare SELECT SUM(end - start)": _scan,
    "load with API calls": lambda path: load([path], parts=PARTS),
    "load, graph, path, slack, table": lambda path: critical_paths(load([path], parts=PARTS)),
    "rocm-perf profile --critical-path": _command,
}
SCAN, _, WHOLE, COMMAND = MEASUREMENTS


def measure(name: str, path: Path) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.critical_path", "--measure", name, str(path)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, megabytes = output.split()
    return float(seconds), float(megabytes)


def report(folder: Path, rows: int, *, all_arguments: bool = False) -> int:
    sizes = sorted({max(rows // 100, 1), max(rows // 10, 1), rows})
    whole: dict[int, float] = {}
    for size in sizes:
        path = folder / f"critical_path_{size}{'_arguments' if all_arguments else ''}.db"
        if not path.exists():
            make_database(path, size, all_arguments=all_arguments)
        results = {name: measure(name, path) for name in MEASUREMENTS}
        scan, whole[size] = results[SCAN][0], results[WHOLE][0]
        megabytes = path.stat().st_size / 1e6
        print(f"{size:,} dispatches, {megabytes:.0f} MB, CPU time, best of {REPETITIONS}")
        for name, (seconds, megabytes) in results.items():
            print(f"{name:34}{seconds:9.3f} s{seconds / scan:8.1f} scans{megabytes:8.0f} MB")
    # Growth between the two larger sizes: the start-up of small ones would flatter it.
    growth = (whole[sizes[-1]] / sizes[-1]) / (whole[sizes[-2]] / sizes[-2])
    checks = {
        f"at most {MOST_SCANS:g} scans": results[WHOLE][0] <= MOST_SCANS * scan,
        f"the command at most {MOST_COMMAND_SCANS:g} scans": results[COMMAND][0]
        <= MOST_COMMAND_SCANS * scan,
        f"peak below {MOST_MEGABYTES} MB": results[WHOLE][1] < MOST_MEGABYTES,
        f"time per dispatch grows by {growth:.2f}, at most {MOST_GROWTH:g}": growth <= MOST_GROWTH,
    }
    for text, kept in checks.items():
        print(f"{'kept  ' if kept else 'MISSED'} {text}")
    return 0 if all(checks.values()) else 1


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.critical_path", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--keep", type=Path, help="keep the databases in this folder")
    parser.add_argument("--all-arguments", action="store_true", help="of every launch, too")
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args(list(arguments))
    if options.measure:
        name, path = options.measure
        # CPU time: everything runs on one core, and other programs on the machine do not count.
        print(*measure_here(MEASUREMENTS[name], Path(path), time.process_time))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        return report(folder, options.rows, all_arguments=options.all_arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
