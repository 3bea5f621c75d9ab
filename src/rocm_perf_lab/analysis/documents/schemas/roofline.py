"""The roofline document, version 1.0: ``roofline.json``, and ``rooflines`` of a profile.

``None`` means "not known"; ``reasons`` of the kernel then says which counters are missing.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class RoofModel(Strict):
    name: Annotated[str, says("memory level, or unit.precision")]
    value: Annotated[float, says("bytes/s or FLOP/s")]
    source: Literal["given", "measured", "theoretical"]


class LevelModel(Strict):
    """Bytes per launch at one level of the memory hierarchy."""

    level: Annotated[
        Literal["fabric", "l2", "l1", "lds"],
        says("fabric: what leaves L2, for HBM, Infinity Cache, other devices and the host"),
    ]
    bytes: Optional[float]
    read_bytes: Optional[float]
    written_bytes: Optional[float]


class CeilingModel(Strict):
    name: str
    kind: Literal["memory", "compute"]
    work: Annotated[float, says("bytes or FLOP per launch")]
    rate: Annotated[float, says("per second")]
    utilisation: Annotated[Optional[float], says("rate / roof; null without a roof")]
    exact: Annotated[bool, says("false: an estimate or an upper bound, which never binds")]
    suspect: Annotated[bool, says("above the roof: a number that feeds it must be wrong")]


class KernelRooflineModel(Strict):
    kernel: str
    launches: int
    mean_ns: float
    coverage: Annotated[float, says("share of the kernel's time whose launches have counters")]
    flops: Annotated[Optional[float], says("per launch; null when a precision is unknown")]
    flops_by_pipe: Annotated[dict[str, float], says("unit.precision: FLOP per launch")]
    flops_method: str
    levels: list[LevelModel]
    arithmetic_intensity: Annotated[Optional[float], says("FLOP per byte at the fabric")]
    ridge: Annotated[Optional[float], says("intensity from which on compute binds")]
    flop_rate: Annotated[Optional[float], says("FLOP/s")]
    byte_rate: Annotated[Optional[float], says("bytes/s at the fabric")]
    bound: Optional[Literal["memory", "compute"]]
    binding: Annotated[Optional[str], says("the ceiling that is nearest")]
    reached: Annotated[Optional[float], says("utilisation of that ceiling")]
    ceilings: list[CeilingModel]
    suspect: bool
    reasons: Annotated[dict[str, str], says("flops, rates or a level: why it is unknown")]
    caveats: list[str]


class LaunchRooflineModel(Strict):
    """One launch, with the counters of the launches at its position in the counter passes."""

    kernel: str
    dispatch_id: Annotated[int, says("in the timed run")]
    iteration: Annotated[int, says("from 0, among launches of this kernel and shape")]
    duration_ns: int
    flops: Optional[float]
    fabric_bytes: Optional[float]
    flop_rate: Annotated[Optional[float], says("FLOP/s")]
    byte_rate: Annotated[Optional[float], says("bytes/s at the fabric")]
    binding: Optional[str]
    reached: Optional[float]
    suspect: bool


class RooflineDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    target: str
    virtual: bool
    time_source: Annotated[
        Literal["trace", "counter_passes"],
        says("counter passes slow kernels down: rates are lower bounds"),
    ]
    roofs: list[RoofModel]
    kernels: list[KernelRooflineModel]
    launches: Annotated[
        list[LaunchRooflineModel],
        says("kernels by total time, launches by start; a note says when some are left out"),
    ]
    notes: list[str]
