"""What capture and replay cost, against running the application and a plain copy to disk.

    python -m benchmarks.replay [--repeat N] [--rocm PREFIX] [--folder FOLDER]

Measurements that are compared take turns, so that other programs on the machine disturb them alike.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.vrocm.prefix import ensure_prefix

KERNELS = Path(__file__).parent / "kernels"
STEPS, ITERATIONS = 2000, 200
LEAST_APPLICATION_S = 10.0
LEAST_RATIO, MOST_COPIES = 100.0, 3.0
MIB = 1 << 20
GIB = 1 << 30
TOUCHED = 16 * MIB
MOST_SIZE = 1.1  # on disk, of what was touched
CHUNK = 8 * MIB


@dataclass(frozen=True)
class Cost:
    wall: float
    cpu: float  # of all threads and child processes


def measure(action: Callable[[], None]) -> Cost:
    def cpu() -> float:
        used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    start, before = time.perf_counter(), cpu()
    action()
    return Cost(time.perf_counter() - start, cpu() - before)


def best(costs: Sequence[Cost]) -> Cost:
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs))


class Stage:
    """The applications, the prefix they were built with, and the folder for captures."""

    def __init__(self, prefix: Path, folder: Path) -> None:
        self.prefix, self.folder = prefix, folder
        self._program = folder / "replayed"
        source = KERNELS / "replayed.hip"
        hipcc = str(prefix / "bin" / "hipcc")
        subprocess.run([hipcc, "-O3", str(source), "-o", str(self._program)], check=True)

    def application(self, *words: object) -> None:
        self._run(self._program, *words)

    def isolate(self, kernel: str, dispatch: int, out: Path, *words: object) -> None:
        options = ("--kernel", kernel, "--dispatch", dispatch, "--out", out)
        application = ("--", self._program, *words)
        self._rocm_perf("isolate", "--rocm", self.prefix, *options, *application)

    def capture_memory(self, out: Path, touched: int, allocated: int = 0) -> None:
        self.isolate("change_some", 0, out, "memory", allocated or touched, touched)

    def replay(self, capture: Path, iterations: int) -> None:
        """Fails unless the memory afterwards is equal."""
        options = ("--iterations", iterations, "--warmup", 0)
        self._rocm_perf("replay", "run", "--rocm", self.prefix, capture, *options)

    def _rocm_perf(self, *words: object) -> None:
        self._run(sys.executable, "-m", "rocm_perf_lab.cli.main", *words)

    def _run(self, *words: object) -> None:
        subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def plain_copy(content: memoryview, path: Path) -> None:
    """From memory, without waiting for the disk."""
    with path.open("wb", buffering=0) as file:
        for offset in range(0, len(content), CHUNK):
            file.write(content[offset : offset + CHUNK])


def bytes_on_disk(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def report_iterations(stage: Stage) -> dict[str, bool]:
    capture = stage.folder / "step"
    stage.isolate("relax", STEPS // 2, capture, "solve", STEPS)
    application = measure(lambda: stage.application("solve", STEPS))
    one = measure(lambda: stage.replay(capture, 1))
    many = measure(lambda: stage.replay(capture, ITERATIONS))
    each = many.wall / ITERATIONS
    marginal = (many.wall - one.wall) / (ITERATIONS - 1)
    print(f"{'':46}{'seconds':>9}{'faster':>9}")
    rows = {
        f"the application: {STEPS} kernels": application.wall,
        "replay run, 1 iteration, start-up included": one.wall,
        f"replay run, each of {ITERATIONS}, start-up included": each,
        "each further iteration": marginal,
    }
    for name, seconds in rows.items():
        print(f"{name:46}{seconds:9.4f}{application.wall / seconds:8.0f}x")
    return {
        f"the application takes over {LEAST_APPLICATION_S:g} s": (
            application.wall > LEAST_APPLICATION_S
        ),
        f"at least {LEAST_RATIO:g}x faster": application.wall / each >= LEAST_RATIO,
    }


def report_capture(stage: Stage, repeat: int) -> dict[str, bool]:
    content = memoryview(bytearray(os.urandom(CHUNK) * (GIB // CHUNK)))
    capture, plain = stage.folder / "whole", stage.folder / "plain"
    costs: dict[str, list[Cost]] = {"copy": [], "small": [], "alone": [], "isolate": []}
    for _ in range(repeat):
        costs["copy"].append(measure(lambda: plain_copy(content, plain)))
        plain.unlink()
        costs["small"].append(measure(lambda: stage.capture_memory(capture, TOUCHED)))
        shutil.rmtree(capture)
        costs["alone"].append(measure(lambda: stage.application("memory", GIB, GIB)))
        costs["isolate"].append(measure(lambda: stage.capture_memory(capture, GIB)))
        shutil.rmtree(capture)
    copy, small, alone, isolate = (best(costs[name]) for name in costs)
    added = Cost(isolate.wall - alone.wall, isolate.cpu - alone.cpu)
    memory = Cost(added.wall - small.wall, added.cpu - small.cpu)
    print(f"{'1 GiB, best of ' + str(repeat):46}{'wall s':>9}{'CPU s':>9}{'copies':>9}")
    for name, one in {
        "plain copy to disk": copy,
        "the application alone": alone,
        "the application under isolate": isolate,
        "what isolate adds": added,
        "what isolate takes with 16 MiB: its start-up": small,
        "what isolate adds, without start-up": memory,
    }.items():
        print(f"{name:46}{one.wall:9.2f}{one.cpu:9.2f}{one.wall / copy.wall:8.1f}x")
    return {f"at most {MOST_COPIES:g} plain copies": memory.wall <= MOST_COPIES * copy.wall}


def report_size(stage: Stage) -> dict[str, bool]:
    sparse = stage.folder / "sparse"
    stage.capture_memory(sparse, TOUCHED, GIB)
    size = bytes_on_disk(sparse)
    print(
        f"1 GiB allocated, {TOUCHED // MIB} MiB touched: {size / MIB:.1f} MiB on disk, "
        f"{size / TOUCHED:.2f} of what was touched"
    )
    return {f"at most {MOST_SIZE:g} of what was touched": size <= MOST_SIZE * TOUCHED}


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.replay", description=__doc__)
    parser.add_argument(
        "--repeat", type=int, default=3, help="captures and copies; the best counts"
    )
    parser.add_argument("--rocm", type=Path, help="the prefix to use (the virtual ROCm)")
    parser.add_argument("--folder", type=Path, help="where captures and copies are written")
    options = parser.parse_args(list(arguments))
    prefix = options.rocm or ensure_prefix(lambda step: None)
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        stage = Stage(prefix, Path(temporary))
        checks = report_iterations(stage)
        print()
        checks.update(report_capture(stage, options.repeat))
        print()
        checks.update(report_size(stage))
    for text, kept in checks.items():
        print(f"{'kept  ' if kept else 'MISSED'} {text}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
