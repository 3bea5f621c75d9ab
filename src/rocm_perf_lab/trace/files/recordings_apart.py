"""Tells recordings apart that lie in one folder: two runs are never one run of all the time
between them.

rocprofv3 names its files after the process, or as ``-o`` says: files of different names whose
kernels did not run at the same time are of different recordings. What only counted belongs to the
recording whose name its own begins with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.lookup import distinct
from rocm_perf_lab.trace.model import Trace

_MOST_LISTED = 4
_EDGES = "_-. "


class Read(Struct, frozen=True):
    """One recording that was read, and what its files are called."""

    prefix: str
    file: Path
    trace: Trace


class Apart(Struct):
    """A recording by its name: one run with its counter passes."""

    label: str
    file: Path
    traces: list[Trace] = field(default_factory=list)

    @property
    def kernels(self) -> frozenset[str]:
        return frozenset(
            trace.kernels[index].name
            for trace in self.traces
            for index in distinct(trace.dispatches.kernel).tolist()
            if index >= 0 and not trace.kernels[index].is_runtime_blit
        )

    @property
    def span(self) -> tuple[int, int]:
        timed = [trace.dispatches for trace in self.traces]
        return min(int(t.start.min()) for t in timed), max(int(t.end.max()) for t in timed)


def apart(read: Sequence[Read]) -> list[Apart]:
    """One item where everything is of one recording."""
    timed: dict[str, Apart] = {}
    others = []
    for one in read:
        if len(one.trace.counters) or not len(one.trace.dispatches):
            others.append(one)
            continue
        label = _label(one)
        timed.setdefault(label, Apart(label, one.file)).traces.append(one.trace)
    groups = sorted(timed.values(), key=lambda group: group.span)
    if len(groups) < 2 or _overlap(groups):
        return [Apart("", read[0].file, [one.trace for one in read])]
    for one in others:
        _owner(groups, _label(one)).traces.append(one.trace)
    return groups


def ask_which(where: Path, groups: Sequence[Apart]) -> None:
    """Of recordings with different kernels: they are not runs of one program."""
    if len({group.kernels for group in groups}) < 2:
        return
    names = ", ".join(group.label or group.file.name for group in groups[:_MOST_LISTED])
    away = (groups[1].span[0] - groups[0].span[1]) / 1e9
    raise UsageError(
        f"{where} holds {len(groups)} recordings with different kernels ({names}), "
        f"{away:.4g} s apart: they are not one run",
        f"name the one you mean: --from {_files(groups[0])}",
    )


def _files(group: Apart) -> Path:
    """As a pattern of the shell."""
    return group.file.with_name(f"{group.label}*") if group.label else group.file


def _label(one: Read) -> str:
    """The name without the number of the process: that differs between processes of one run."""
    label = one.prefix
    for process in one.trace.processes:
        label = re.sub(rf"(?<!\d){process.pid}(?!\d)", "", label) if process.pid > 0 else label
    return "" if label.isdigit() else label.strip(_EDGES)


def _overlap(groups: Sequence[Apart]) -> bool:
    return any(one.span[1] > after.span[0] for one, after in zip(groups, groups[1:]))


def _owner(groups: Sequence[Apart], label: str) -> Apart:
    fitting = [group for group in groups if label.startswith(group.label)]
    return max(fitting, key=lambda group: len(group.label), default=groups[0])
