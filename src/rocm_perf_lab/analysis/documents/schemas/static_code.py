"""What a document says about the code of a kernel: the block ``static``.

Every instruction counts once, however often it runs.
"""

from __future__ import annotations

from typing import Optional

from pydantic import BaseModel, ConfigDict, Field


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ScratchLineModel(_Strict):
    """A source line with accesses to scratch: spilled registers, or arrays that are indexed."""

    source: str
    stores: int
    loads: int


class LinePressureModel(_Strict):
    """The instruction of a source line at which most vector registers are live."""

    source: str
    vgpr: int
    accum_vgpr: int
    sgpr: int


class RegisterPressureModel(_Strict):
    """Registers that hold a value which is still needed, estimated from the code."""

    peak_vgpr: int = Field(description="vector registers where the sum of both kinds is highest")
    peak_accum_vgpr: int = Field(description="accumulation registers at the same instruction")
    peak_sgpr: int = Field(description="where these are most, which may be elsewhere")
    instruction: str = Field(description="the first one with the highest sum")
    address: int
    source: Optional[str]
    allocated_vgpr: Optional[int] = Field(
        description="of both kinds, as the kernel asks for them; the peak is never above"
    )
    lines: list[LinePressureModel] = Field(description="the highest pressure first")
    caveats: list[str] = Field(description="why the estimate may be low for this kernel")


class StaticCodeModel(_Strict):
    source: str = Field(description="the code object, or the thread trace that listed the code")
    instructions: int
    instruction_mix: dict[str, float] = Field(description="shares of instructions in the code")
    vgpr_spills: Optional[int] = Field(description="as the compiler counts them")
    sgpr_spills: Optional[int]
    scratch_bytes: Optional[int] = Field(description="private memory per work-item")
    scratch_accesses: int
    scratch_lines: list[ScratchLineModel] = Field(description="the most accesses first")
    register_pressure: RegisterPressureModel
