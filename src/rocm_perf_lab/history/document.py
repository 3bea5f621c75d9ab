"""What ``rocm-perf history --json`` prints, version 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.history.entry import Entry
from rocm_perf_lab.history.gate import Gate
from rocm_perf_lab.history.trend import ChangePoint, Line, Series
from rocm_perf_lab.prove.compare.judgement import Judgement, Word

SCHEMA_VERSION: Final = "1.0"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EntryModel(_Strict):
    number: int
    added: str = Field(description="UTC")
    commit: Optional[str]
    dirty: bool = Field(description="tracked files differed from the commit")
    flags: Optional[str]
    machine: str = Field(description="equal where times may be compared")
    command: str
    quantity: str = Field(description="kernel_time or wall_time, of a run")
    runs: int
    median_ms: float


class JudgementModel(_Strict):
    """Changes are those of the time: 0.05 is 5 % slower."""

    verdict: Word
    change: Optional[float]
    low: Optional[float]
    high: Optional[float]
    p_slower: Optional[float]
    p_faster: Optional[float]
    reason: str
    needed: Optional[str]


class ChangeModel(_Strict):
    entry: int = Field(description="the first of what is new")
    commit: Optional[str]
    judgement: JudgementModel


class SeriesModel(_Strict):
    kernel: Optional[str] = Field(description="null: the runs as a whole")
    unit: Literal["ms", "ns"]
    entries: list[int]
    values: list[float]
    changes: list[ChangeModel]


class LineModel(_Strict):
    machine: str
    command: str
    quantity: str
    series: list[SeriesModel]


class SlowerModel(_Strict):
    kernel: str
    before_ns: float = Field(description="the largest median of the profiles before")
    now_ns: float


class GateModel(_Strict):
    newest: EntryModel
    compared_with: list[int] = Field(description="entries since the last change, ten at most")
    others: int = Field(description="entries of other machines or commands, not compared")
    judgement: JudgementModel
    slower: list[SlowerModel] = Field(description="kernels beside a regression, not judged")


class HistoryDocument(_Strict):
    schema_version: Literal["1.0"] = SCHEMA_VERSION
    entries: list[EntryModel] = []
    lines: list[LineModel] = []
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
