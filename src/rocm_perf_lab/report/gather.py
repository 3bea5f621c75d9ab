"""From what was named on a command line to the contents of a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from msgspec.structs import replace

from rocm_perf_lab import __version__
from rocm_perf_lab.measure.examine import Examined, examine
from rocm_perf_lab.measure.request import (
    ExplainRequest,
    KnownCeilings,
    Recordings,
    Source,
)
from rocm_perf_lab.report.captures import read_capture
from rocm_perf_lab.report.contents import Measured, Report
from rocm_perf_lab.report.histories import read_history
from rocm_perf_lab.report.kept_profile import read_profile
from rocm_perf_lab.report.kinds import Kind, kind_of
from rocm_perf_lab.report.searches import read_bundle, read_search
from rocm_perf_lab.report.tunings import read_tuning


def gather(
    source: Source,
    ceilings: KnownCeilings,
    deep_analysis: Optional[bool] = None,
    histories: Sequence[Path] = (),
    walls: Optional[bool] = False,
) -> Report:
    """All recordings among the paths are runs of one application, as for ``profile --from``."""
    kept = tuple(map(read_history, histories))  # before anything runs: it may not be one
    if not isinstance(source, Recordings):
        request = ExplainRequest(source, deep_analysis, ceilings, walls)
        return Report(__version__, measured=(_measured(examine(request)),), histories=kept)
    by_kind = _sorted(source.paths)
    return Report(
        __version__,
        measured=_all_measured(by_kind, source, ceilings),
        searches=(
            *map(read_search, by_kind[Kind.SEARCH]),
            *map(read_bundle, by_kind[Kind.BUNDLE]),
        ),
        tunings=tuple(map(read_tuning, by_kind[Kind.JOURNAL])),
        captures=tuple(map(read_capture, by_kind[Kind.CAPTURE])),
        histories=(*kept, *map(read_history, by_kind[Kind.HISTORY])),
    )


def _sorted(paths: Sequence[Path]) -> dict[Kind, list[Path]]:
    found: dict[Kind, list[Path]] = {kind: [] for kind in Kind}
    for path in paths:
        found[kind_of(path)].append(path)
    return found


def _all_measured(
    by_kind: dict[Kind, list[Path]], source: Recordings, ceilings: KnownCeilings
) -> tuple[Measured, ...]:
    measured = [read_profile(path) for path in by_kind[Kind.PROFILE]]
    if by_kind[Kind.RECORDING]:
        recordings = replace(source, paths=tuple(by_kind[Kind.RECORDING]))
        measured.insert(0, _measured(examine(ExplainRequest(recordings, False, ceilings))))
    return tuple(measured)


def _measured(examined: Examined) -> Measured:
    return Measured(examined.profile, examined.explanation, examined.path, examined.runs)
