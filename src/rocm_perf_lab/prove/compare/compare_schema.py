"""The comparison document, version 1.0: what ``rocm-perf compare --json`` prints."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.prove.compare.judgement import Word
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class SideModel(Strict):
    given: Annotated[str, says("the word on the command line, secrets left out")]
    runs: Annotated[int, says("processes or recorded runs that were used")]
    device: Optional[str]


class RowModel(Strict):
    """One kernel, or the whole application when ``kernel`` is null."""

    kernel: Optional[str]
    quantity: Annotated[
        Literal["critical_path", "kernel_time", "wall_time", "dispatch"],
        says(
            "critical_path: first start to last end of GPU work; kernel_time: all "
            "dispatches of a run; wall_time: the process; dispatch: one launch"
        ),
    ]
    base_ns: Annotated[Optional[float], says("median over the runs; null: not in BASE")]
    head_ns: Optional[float]
    base_launches: Annotated[Optional[int], says("per run")]
    head_launches: Optional[int]
    share: Annotated[Optional[float], says("of the time of all kernels, the larger of the two")]
    verdict: Word
    change: Annotated[Optional[float], says("of the time: 0.05 is 5 % slower")]
    low: Annotated[Optional[float], says("of the interval of the change; null: unbounded")]
    high: Optional[float]
    p_slower: Annotated[
        Optional[float], says("of the same program looking at least as slow; exact")
    ]
    p_faster: Optional[float]
    reason: str
    needed: Annotated[Optional[str], says("what would decide it")]
    blocks: Annotated[Optional[int], says("that were there at the look that decided")]


class MethodModel(Strict):
    design: Literal["interleaved blocks", "unpaired runs"]
    threshold: Annotated[float, says("a smaller change of the time counts as none")]
    alpha: Annotated[float, says("of a wrong word about equal programs, all rows together")]
    blocks: Annotated[Optional[int], says("measured; null for recordings and profiles")]
    most_blocks: Optional[int]
    seed: Annotated[Optional[int], says("of the order of the processes")]
    orders: Annotated[Optional[list[list[str]]], says("of each block, as they ran")]


class ComparisonDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    kind: Literal["commands", "recordings", "profiles"]
    virtual: bool
    base: SideModel
    head: SideModel
    method: MethodModel
    verdict: Annotated[
        Word, says("regression if any row is one; else what the rows have in common")
    ]
    end_to_end: RowModel
    kernels: Annotated[list[RowModel], says("the largest part of the time first")]
    notes: list[str]
    output: Annotated[
        Literal["same", "different", "not compared"],
        says("of what both commands print; a faster program that prints something else is no gain"),
    ] = "not compared"
    output_reason: Annotated[Optional[str], says("what differs, or why it is not known")] = None
