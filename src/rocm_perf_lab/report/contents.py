"""The contents of a report as data; every output (page, table, trace) is drawn from this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.path.run_path import RunPath
from rocm_perf_lab.history.trend import Line
from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.replay.capture_schema import DispatchFile
from rocm_perf_lab.trace.model import Trace, names_virtual_device
from rocm_perf_lab.tune.measurement import Measurement


@dataclass(frozen=True)
class Measured:
    """An application. A profile that was kept as JSON has neither graph nor columns."""

    profile: ProfileDocument
    explanation: Optional[ExplanationDocument]
    path: Optional[RunPath] = None
    runs: tuple[Trace, ...] = ()

    @property
    def is_virtual(self) -> bool:
        return self.profile.device is not None and self.profile.device.kind == "virtual"

    @property
    def title(self) -> str:
        """The command, or what the recordings are called."""
        if self.profile.command:
            return " ".join(self.profile.command)
        return ", ".join(Path(name).name for name in self.profile.source or ()) or "an application"


@dataclass(frozen=True)
class Change:
    """One attempt of a search: what was changed, and the outcome."""

    name: str  # of the bundle
    kernel: Optional[str]
    proposal: str
    verdict: str
    reason: str
    diff: str
    decision: Optional[Decision]
    intact: bool
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Search:
    """The evidence of one search, in the order of its attempts."""

    folder: str
    changes: tuple[Change, ...]
    is_virtual: bool
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tuning:
    """The measurements of one tuning, in their order; ``value`` is minimised."""

    name: str
    objective: str
    measurements: tuple[Measurement, ...]
    parameters: Mapping[str, tuple[object, ...]]
    machines: tuple[str, ...]
    unit: str = ""  # of the values; "" for a number that the program prints
    default: Optional[Measurement] = None  # where the journal says which one, and it was measured

    @property
    def is_virtual(self) -> bool:
        return any(map(names_virtual_device, self.machines))

    @property
    def best(self) -> Optional[Measurement]:
        good = [one for one in self.measurements if one.value is not None]
        return min(good, key=lambda one: one.value or 0.0, default=None)

    @property
    def speedup(self) -> Optional[float]:
        """The default beside the best."""
        if (
            self.default is None
            or self.best is None
            or not (self.default.value and self.best.value)
        ):
            return None
        return self.default.value / self.best.value


@dataclass(frozen=True)
class History:
    """Kept profiles over time; times are compared within a line only."""

    name: str
    entries: int
    lines: tuple[Line, ...]

    @property
    def is_virtual(self) -> bool:
        return any(line.is_virtual for line in self.lines)


@dataclass(frozen=True)
class Captured:
    """One dispatch that was isolated, as its folder describes it."""

    folder: str
    dispatch: DispatchFile
    memory_bytes: int
    stored_bytes: int
    warnings: tuple[str, ...]

    @property
    def is_virtual(self) -> bool:
        return names_virtual_device(self.dispatch.agent_product)


@dataclass(frozen=True)
class Report:
    tool_version: str
    measured: tuple[Measured, ...] = ()
    searches: tuple[Search, ...] = ()
    tunings: tuple[Tuning, ...] = ()
    captures: tuple[Captured, ...] = ()
    histories: tuple[History, ...] = ()

    @property
    def is_virtual(self) -> bool:
        return (
            any(one.is_virtual for one in self.measured)
            or any(one.is_virtual for one in self.searches)
            or any(one.is_virtual for one in self.tunings)
            or any(one.is_virtual for one in self.captures)
            or any(one.is_virtual for one in self.histories)
        )

    @property
    def title(self) -> str:
        if self.measured:
            return self.measured[0].title
        named = [search.folder for search in self.searches]
        named += [tuning.name for tuning in self.tunings]
        named += [capture.dispatch.demangled_name for capture in self.captures]
        named += [history.name for history in self.histories]
        return named[0] if named else "nothing"
