"""What a listing of instructions says about a kernel that was not traced."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass
from rocm_perf_lab.analysis.code.static_code import SpillLine, static_code
from rocm_perf_lab.codeobject import KernelInfo

C = InstructionClass
KERNEL = KernelInfo(
    name="k", symbol="k.kd", arch_vgpr=8, accum_vgpr=0, total_vgpr=8, sgpr=16, lds_bytes=0,
    scratch_bytes=12, sgpr_spills=None, vgpr_spills=2, kernarg_size=8, kernarg_align=8,
    max_workgroup_size=256, required_workgroup_size=None, wave_size=64, wgp_mode=None,
    uses_dynamic_stack=None, language=None, arguments=(), descriptor=None, code_offset=None,
    code_size=None,
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    text: str
    source: str = ""


def test_every_instruction_counts_once() -> None:
    listing = [Entry("v_nop"), Entry("v_mfma_f32_4x4x1_16b_f32 a, b"), Entry("v_nop")]
    found = static_code(KERNEL, listing)
    assert found.instructions == 3
    assert found.by_class == {C.VALU: 2, C.MFMA: 1}
    assert (found.share(C.VALU), found.share(C.LDS)) == (2 / 3, 0)
    assert (found.vgpr_spills, found.sgpr_spills, found.scratch_bytes) == (2, None, 12)
    assert (found.scratch_accesses, found.scratch_lines) == (0, ())


def test_scratch_by_line_and_without_one() -> None:
    found = static_code(
        KERNEL,
        [
            Entry("scratch_store_dword off, v0, s32", "a.hip:9"),
            Entry("scratch_load_dword v0, off, s32", "a.hip:2"),
            Entry("scratch_load_dword v1, off, s32", "a.hip:9"),
            Entry("scratch_load_dword v2, off, s32"),
        ],
    )
    assert found.scratch_accesses == 4
    assert found.scratch_lines == (SpillLine("a.hip:9", 1, 1), SpillLine("a.hip:2", 0, 1))


def test_an_empty_listing_says_nothing() -> None:
    with pytest.raises(ValueError, match="listing is empty"):
        static_code(KERNEL, [])
