"""What a document says about the code of a kernel: the block ``static``.

Every instruction counts once, however often it runs.
"""

from __future__ import annotations

from typing import Annotated, Optional

from rocm_perf_lab.strict_json import Strict, says


class ScratchLineModel(Strict):
    """A source line with accesses to scratch: spilled registers, or arrays that are indexed."""

    source: str
    stores: int
    loads: int


class LinePressureModel(Strict):
    """The instruction of a source line at which most vector registers are live."""

    source: str
    vgpr: int
    accum_vgpr: int
    sgpr: int


class RegisterPressureModel(Strict):
    """Registers that hold a value which is still needed, estimated from the code."""

    peak_vgpr: Annotated[int, says("vector registers where the sum of both kinds is highest")]
    peak_accum_vgpr: Annotated[int, says("accumulation registers at the same instruction")]
    peak_sgpr: Annotated[int, says("where these are most, which may be elsewhere")]
    instruction: Annotated[str, says("the first one with the highest sum")]
    address: int
    source: Optional[str]
    allocated_vgpr: Annotated[
        Optional[int], says("of both kinds, as the kernel asks for them; the peak is never above")
    ]
    lines: Annotated[list[LinePressureModel], says("the highest pressure first")]
    caveats: Annotated[list[str], says("why the estimate may be low for this kernel")]


class StaticCodeModel(Strict):
    source: Annotated[str, says("the code object, or the thread trace that listed the code")]
    instructions: int
    instruction_mix: Annotated[dict[str, float], says("shares of instructions in the code")]
    vgpr_spills: Annotated[Optional[int], says("as the compiler counts them")]
    sgpr_spills: Optional[int]
    scratch_bytes: Annotated[Optional[int], says("private memory per work-item")]
    scratch_accesses: int
    scratch_lines: Annotated[list[ScratchLineModel], says("the most accesses first")]
    register_pressure: RegisterPressureModel
