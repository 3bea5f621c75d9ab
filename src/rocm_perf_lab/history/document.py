"""What ``rocm-perf history --json`` prints, version 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Optional

from msgspec import field

from rocm_perf_lab.history.entry import Entry
from rocm_perf_lab.history.gate import Gate
from rocm_perf_lab.history.trend import ChangePoint, Line, Series
from rocm_perf_lab.prove.compare.judgement import Judgement, Word
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class EntryModel(Strict):
    number: int
    added: Annotated[str, says("UTC")]
    commit: Optional[str]
    dirty: Annotated[bool, says("tracked files differed from the commit")]
    flags: Optional[str]
    machine: Annotated[str, says("equal where times may be compared")]
    command: str
    quantity: Annotated[str, says("kernel_time or wall_time, of a run")]
    runs: int
    median_ms: float


class JudgementModel(Strict):
    """Changes are those of the time: 0.05 is 5 % slower."""

    verdict: Word
    change: Optional[float]
    low: Optional[float]
    high: Optional[float]
    p_slower: Optional[float]
    p_faster: Optional[float]
    reason: str
    needed: Optional[str]


class ChangeModel(Strict):
    entry: Annotated[int, says("the first of what is new")]
    commit: Optional[str]
    judgement: JudgementModel


class SeriesModel(Strict):
    kernel: Annotated[Optional[str], says("null: the runs as a whole")]
    unit: Literal["ms", "ns"]
    entries: list[int]
    values: list[float]
    changes: list[ChangeModel]


class LineModel(Strict):
    machine: str
    command: str
    quantity: str
    series: list[SeriesModel]


class SlowerModel(Strict):
    kernel: str
    before_ns: Annotated[float, says("the largest median of the profiles before")]
    now_ns: float


class GateModel(Strict):
    newest: EntryModel
    compared_with: Annotated[list[int], says("entries since the last change, ten at most")]
    others: Annotated[int, says("entries of other machines or commands, not compared")]
    judgement: JudgementModel
    slower: Annotated[list[SlowerModel], says("kernels beside a regression, not judged")]


class HistoryDocument(Strict):
    schema_version: Literal["1.0"] = SCHEMA_VERSION
    entries: list[EntryModel] = field(default_factory=list)
    lines: list[LineModel] = field(default_factory=list)
    gate: Optional[GateModel] = None


def entries_document(entries: Sequence[Entry]) -> HistoryDocument:
    return HistoryDocument(entries=[_entry(entry) for entry in entries])


def trend_document(lines: Sequence[Line]) -> HistoryDocument:
    return HistoryDocument(
        lines=[
            LineModel(
                machine=line.machine,
                command=line.command,
                quantity=line.quantity,
                series=[_series(series) for series in line.series],
            )
            for line in lines
        ]
    )


def gate_document(found: Optional[Gate]) -> HistoryDocument:
    if found is None:
        return HistoryDocument()
    return HistoryDocument(
        gate=GateModel(
            newest=_entry(found.newest),
            compared_with=[entry.number for entry in found.before],
            others=found.others,
            judgement=_judgement(found.judgement),
            slower=[
                SlowerModel(kernel=one.kernel, before_ns=one.before_ns, now_ns=one.now_ns)
                for one in found.slower
            ],
        )
    )


def _entry(entry: Entry) -> EntryModel:
    return EntryModel(
        number=entry.number,
        added=entry.added,
        commit=entry.origin.commit,
        dirty=entry.origin.dirty,
        flags=entry.origin.flags,
        machine=entry.machine,
        command=entry.command,
        quantity=entry.quantity,
        runs=len(entry.samples_ms),
        median_ms=entry.median_ms,
    )


def _series(series: Series) -> SeriesModel:
    return SeriesModel(
        kernel=series.kernel,
        unit="ms" if series.kernel is None else "ns",
        entries=[entry.number for entry in series.entries],
        values=list(series.values),
        changes=[_change(series, change) for change in series.changes],
    )


def _change(series: Series, change: ChangePoint) -> ChangeModel:
    entry = series.entries[change.at]
    return ChangeModel(
        entry=entry.number,
        commit=entry.origin.commit,
        judgement=_judgement(change.judgement),
    )


def _judgement(judged: Judgement) -> JudgementModel:
    return JudgementModel(
        verdict=judged.word,
        change=judged.change,
        low=judged.low,
        high=judged.high,
        p_slower=judged.p_slower,
        p_faster=judged.p_faster,
        reason=judged.reason,
        needed=judged.needed,
    )
