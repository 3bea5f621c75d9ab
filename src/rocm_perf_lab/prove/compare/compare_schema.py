"""The comparison document, version 1.0: what ``rocm-perf compare --json`` prints."""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.prove.compare.judgement import Word

SCHEMA_VERSION: Final = "1.0"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SideModel(_Strict):
    given: str = Field(description="the word on the command line, secrets left out")
    runs: int = Field(description="processes or recorded runs that were used")
    device: Optional[str]


class RowModel(_Strict):
    """One kernel, or the whole application when ``kernel`` is null."""

    kernel: Optional[str]
    quantity: Literal["critical_path", "kernel_time", "wall_time", "dispatch"] = Field(
        description="critical_path: first start to last end of GPU work; kernel_time: all "
        "dispatches of a run; wall_time: the process; dispatch: one launch"
    )
    base_ns: Optional[float] = Field(description="median over the runs; null: not in BASE")
    head_ns: Optional[float]
    base_launches: Optional[int] = Field(description="per run")
    head_launches: Optional[int]
    share: Optional[float] = Field(description="of the time of all kernels, the larger of the two")
    verdict: Word
    change: Optional[float] = Field(description="of the time: 0.05 is 5 % slower")
    low: Optional[float] = Field(description="of the interval of the change; null: unbounded")
    high: Optional[float]
    p_slower: Optional[float] = Field(
        description="of the same program looking at least as slow; exact"
    )
    p_faster: Optional[float]
    reason: str
    needed: Optional[str] = Field(description="what would decide it")
    blocks: Optional[int] = Field(description="that were there at the look that decided")


class MethodModel(_Strict):
    design: Literal["interleaved blocks", "unpaired runs"]
    threshold: float = Field(description="a smaller change of the time counts as none")
    alpha: float = Field(description="of a wrong word about equal programs, all rows together")
    blocks: Optional[int] = Field(description="measured; null for recordings and profiles")
    most_blocks: Optional[int]
    seed: Optional[int] = Field(description="of the order of the processes")
    orders: Optional[list[list[str]]] = Field(description="of each block, as they ran")


class ComparisonDocument(_Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    kind: Literal["commands", "recordings", "profiles"]
    virtual: bool
    base: SideModel
    head: SideModel
    method: MethodModel
    verdict: Word = Field(
        description="regression if any row is one; else what the rows have in common"
    )
    end_to_end: RowModel
    kernels: list[RowModel] = Field(description="the largest part of the time first")
    notes: list[str]
