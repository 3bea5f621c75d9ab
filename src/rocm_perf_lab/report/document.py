"""A report as a document, version 1.0: what ``rocm-perf report -o FILE.json`` writes."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Optional

from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.history.document import LineModel, trend_document
from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.report.contents import Change, Report, Tuning
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class MeasuredModel(Strict):
    profile: ProfileDocument
    explanation: Annotated[
        Optional[ExplanationDocument], says("null for wall times alone, which explain nothing")
    ]


class ChangeModel(Strict):
    name: str
    kernel: Optional[str]
    proposal: str
    verdict: str
    reason: str
    diff: str
    decision: Optional[Decision]
    intact: bool
    problems: tuple[str, ...]


class SearchModel(Strict):
    folder: str
    virtual: bool
    changes: tuple[ChangeModel, ...]
    problems: tuple[str, ...]


class MeasurementModel(Strict):
    parameters: dict[str, Any]
    status: str
    value: Optional[float]
    reason: str


class TuningModel(Strict):
    name: str
    objective: str
    virtual: bool
    machines: tuple[str, ...]
    measurements: Annotated[tuple[MeasurementModel, ...], says("in the order they were made")]


class CaptureModel(Strict):
    folder: str
    kernel: str
    virtual: bool
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    memory_bytes: int
    stored_bytes: int


class HistoryModel(Strict):
    name: str
    virtual: bool
    entries: int
    lines: Annotated[tuple[LineModel, ...], says("each of one machine, command and quantity")]


class ReportDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    virtual: Annotated[bool, says("something in it comes from the virtual device")]
    measured: tuple[MeasuredModel, ...]
    searches: tuple[SearchModel, ...]
    tunings: tuple[TuningModel, ...]
    captures: tuple[CaptureModel, ...]
    histories: tuple[HistoryModel, ...]


def report_document(report: Report) -> ReportDocument:
    return ReportDocument(
        schema_version=SCHEMA_VERSION,
        tool_version=report.tool_version,
        virtual=report.is_virtual,
        measured=tuple(
            MeasuredModel(profile=one.profile, explanation=one.explanation)
            for one in report.measured
        ),
        searches=tuple(
            SearchModel(
                folder=one.folder,
                virtual=one.is_virtual,
                changes=tuple(map(_change, one.changes)),
                problems=one.problems,
            )
            for one in report.searches
        ),
        tunings=tuple(map(_tuning, report.tunings)),
        captures=tuple(
            CaptureModel(
                folder=one.folder,
                kernel=one.dispatch.demangled_name,
                virtual=one.is_virtual,
                grid=one.dispatch.grid,
                block=one.dispatch.block,
                memory_bytes=one.memory_bytes,
                stored_bytes=one.stored_bytes,
            )
            for one in report.captures
        ),
        histories=tuple(
            HistoryModel(
                name=one.name,
                virtual=one.is_virtual,
                entries=one.entries,
                lines=tuple(trend_document(one.lines).lines),
            )
            for one in report.histories
        ),
    )


def _change(change: Change) -> ChangeModel:
    return ChangeModel(**vars(change))


def _tuning(tuning: Tuning) -> TuningModel:
    return TuningModel(
        name=tuning.name,
        objective=tuning.objective,
        virtual=tuning.is_virtual,
        machines=tuning.machines,
        measurements=tuple(
            MeasurementModel(
                parameters=dict(one.configuration),
                status=one.status,
                value=one.value,
                reason=one.reason,
            )
            for one in tuning.measurements
        ),
    )
