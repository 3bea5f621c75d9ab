"""The roofline document, version 1.0: ``roofline.json``, and ``rooflines`` of a profile.

``None`` means "not known"; ``reasons`` of the kernel then says which counters are missing.
"""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION: Final = "1.0"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class RoofModel(_Strict):
    name: str = Field(description="memory level, or unit.precision")
    value: float = Field(description="bytes/s or FLOP/s")
    source: Literal["given", "measured", "theoretical"]


class LevelModel(_Strict):
    """Bytes per launch at one level of the memory hierarchy."""

    level: Literal["fabric", "l2", "l1", "lds"] = Field(
        description="fabric: what leaves L2, for HBM, Infinity Cache, other devices and the host"
    )
    bytes: Optional[float]
    read_bytes: Optional[float]
    written_bytes: Optional[float]


class CeilingModel(_Strict):
    name: str
    kind: Literal["memory", "compute"]
    work: float = Field(description="bytes or FLOP per launch")
    rate: float = Field(description="per second")
    utilisation: Optional[float] = Field(description="rate / roof; null without a roof")
    exact: bool = Field(description="false: an estimate or an upper bound, which never binds")
    suspect: bool = Field(description="above the roof: a number that feeds it must be wrong")


class KernelRooflineModel(_Strict):
    kernel: str
    launches: int
    mean_ns: float
    coverage: float = Field(description="share of the kernel's time whose launches have counters")
    flops: Optional[float] = Field(description="per launch; null when a precision is unknown")
    flops_by_pipe: dict[str, float] = Field(description="unit.precision: FLOP per launch")
    flops_method: str
    levels: list[LevelModel]
    arithmetic_intensity: Optional[float] = Field(description="FLOP per byte at the fabric")
    ridge: Optional[float] = Field(description="intensity from which on compute binds")
    flop_rate: Optional[float] = Field(description="FLOP/s")
    byte_rate: Optional[float] = Field(description="bytes/s at the fabric")
    bound: Optional[Literal["memory", "compute"]]
    binding: Optional[str] = Field(description="the ceiling that is nearest")
    reached: Optional[float] = Field(description="utilisation of that ceiling")
    ceilings: list[CeilingModel]
    suspect: bool
    reasons: dict[str, str] = Field(description="flops, rates or a level: why it is unknown")
    caveats: list[str]


class LaunchRooflineModel(_Strict):
    """One launch, with the counters of the launches at its position in the counter passes."""

    kernel: str
    dispatch_id: int = Field(description="in the timed run")
    iteration: int = Field(description="from 0, among launches of this kernel and shape")
    duration_ns: int
    flops: Optional[float]
    fabric_bytes: Optional[float]
    flop_rate: Optional[float] = Field(description="FLOP/s")
    byte_rate: Optional[float] = Field(description="bytes/s at the fabric")
    binding: Optional[str]
    reached: Optional[float]
    suspect: bool


class RooflineDocument(_Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    target: str
    virtual: bool
    time_source: Literal["trace", "counter_passes"] = Field(
        description="counter passes slow kernels down: rates are lower bounds"
    )
    roofs: list[RoofModel]
    kernels: list[KernelRooflineModel]
    launches: list[LaunchRooflineModel] = Field(
        description="kernels by total time, launches by start; a note says when some are left out"
    )
    notes: list[str]
