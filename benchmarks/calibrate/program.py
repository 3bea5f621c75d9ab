"""Compiles the calibration programs, runs them under the profiler and joins both outputs.

A program prints one line per measured launch (see kernels/calibration/measure.h); the recording has
the time and the counters of each.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

KERNELS = Path(__file__).resolve().parent.parent / "kernels" / "calibration"
NOT_MEASURED = "prepare_"


@dataclass(frozen=True)
class Launch:
    name: str
    work: float  # bytes, operations or steps: the program says which
    duration_ns: float
    counters: Mapping[str, float]


class Bench:
    """Programs are compiled once, into a folder that goes away with the bench. The same run gives
    the same result, so that it is kept for other tables that want it."""

    def __init__(self, prefix: Path, folder: Path) -> None:
        self._prefix = prefix
        self._folder = folder
        self._known: dict[tuple[object, ...], list[Launch]] = {}

    def run(
        self,
        program: str,
        *arguments: object,
        counters: bool = False,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> list[Launch]:
        key = (program, arguments, counters, tuple(sorted(variables.items())))
        if key not in self._known:
            self._known[key] = self.run_again(
                program, *arguments, counters=counters, variables=variables
            )
        return self._known[key]

    def run_again(
        self,
        program: str,
        *arguments: object,
        counters: bool = False,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> list[Launch]:
        command = [str(self._compiled(program)), *map(str, arguments)]
        with tempfile.TemporaryDirectory(dir=self._folder) as trace:
            environment = {**os.environ, **variables, "VROCM_TRACE": trace}
            environment["VROCM_TRACE_DOMAINS"] = "kernel"
            if counters:
                environment["VROCM_COUNTERS"] = "1"
            done = subprocess.run(
                command, env=environment, check=True, stdout=subprocess.PIPE, text=True
            )
            dispatches = _measured_dispatches(Path(trace))
        lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
        if len(lines) != len(dispatches):
            raise RuntimeError(
                f"{program} announced {len(lines)} launches, {len(dispatches)} were recorded"
            )
        return [
            Launch(name, float(work), record["end_ns"] - record["start_ns"],
                   record.get("counters", {}))
            for (name, work), record in zip(lines, dispatches)
        ]  # fmt: skip

    def _compiled(self, program: str) -> Path:
        binary = self._folder / program
        if not binary.exists():
            source = KERNELS / f"{program}.hip"
            hipcc = self._prefix / "bin" / "hipcc"
            subprocess.run([str(hipcc), "-O3", str(source), "-o", str(binary)], check=True)
        return binary


@contextmanager
def bench(prefix: Path) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory() as folder:
        yield Bench(prefix, Path(folder))


def _measured_dispatches(trace: Path) -> list[dict[str, Any]]:
    (file,) = trace.glob("*.jsonl")
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    dispatches = [record for record in records if record["record"] == "dispatch"]
    measured = [record for record in dispatches if NOT_MEASURED not in record["name"]]
    return sorted(measured, key=lambda record: int(record["id"]))


def by_name(launches: Sequence[Launch]) -> dict[str, list[Launch]]:
    groups: dict[str, list[Launch]] = {}
    for launch in launches:
        groups.setdefault(launch.name, []).append(launch)
    return groups


def marginal_counters(launches: Sequence[Launch]) -> dict[str, float]:
    """What the last launch counted more than the one before, which does less of the same."""
    less, more = launches[-2].counters, launches[-1].counters
    return {name: value - less[name] for name, value in more.items()}


def marginal_rate(launches: Sequence[Launch]) -> float:
    """Work per ns between the last launch and the one before, which does less of the same: what
    launching and cold caches cost is in both."""
    less, more = launches[-2], launches[-1]
    return (more.work - less.work) / (more.duration_ns - less.duration_ns)
