"""What instructions read and write, told from their text."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.code.register_operands import (
    ACCUMULATION,
    SCALAR,
    VECTOR,
    register_bits,
    register_effect,
)

bits = register_bits


def test_registers_are_bits_of_their_kind() -> None:
    assert bits("v0") == 1
    assert bits("v[2:3]") == 0b1100
    assert bits("-|v1|, 0x10, off") == 0b10
    assert bits("a0") & ACCUMULATION == bits("a0")
    assert bits("s[0:1]") & SCALAR == bits("s[0:1]")
    assert bits("v255") & VECTOR == 1 << 255
    assert bits("vcc, exec, m0, vmcnt(0), src_shared_base, ttmp3, 0x5a3") == 0


@pytest.mark.parametrize(
    ("text", "writes", "reads"),
    [
        ("v_add_f32_e32 v0, s1, v2", "v0", "s1, v2"),
        ("v_fma_f32 v3, -v1, |v2|, v3", "v3", "v1, v2, v3"),
        ("v_mov_b32_e32 v0, 0", "v0", ""),
        ("v_nop", "", ""),
        ("v_fmac_f32_e32 v0, v1, v2", "v0", "v0, v1, v2"),
        ("v_dot2c_f32_f16_e32 v0, v1, v2", "v0", "v0, v1, v2"),
        ("v_dual_mov_b32 v0, v1 :: v_dual_fmac_f32 v3, v4, v5", "v0, v3", "v1, v3, v4, v5"),
        ("v_cmp_gt_i32_e32 vcc, s2, v0", "", "s2, v0"),
        ("v_cmp_gt_i32_e64 s[0:1], s2, v0", "s[0:1]", "s2, v0"),
        ("v_cmpx_gt_i32_e32 s2, v0", "", "s2, v0"),  # gfx10 and later: EXEC is the result
        ("v_add_co_u32_e32 v0, vcc, v1, v2", "v0", "v1, v2"),
        ("v_addc_co_u32_e64 v0, s[0:1], v1, v2, s[2:3]", "v0, s[0:1]", "v1, v2, s[2:3]"),
        ("v_mad_u64_u32 v[0:1], s[4:5], v2, v3, v[4:5]", "v[0:1], s[4:5]", "v2, v3, v[4:5]"),
        ("v_div_scale_f32 v5, vcc, v4, v3, v4", "v5", "v3, v4"),
        ("v_readfirstlane_b32 s4, v0", "s4", "v0"),
        ("v_writelane_b32 v40, s30, 0", "v40", "v40, s30"),
        ("v_cvt_pk_fp8_f32 v0, v1, v2", "v0", "v0, v1, v2"),  # half of the register
        ("v_swap_b32 v0, v1", "v0, v1", "v0, v1"),
        ("v_accvgpr_write_b32 a3, v1", "a3", "v1"),
        ("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", "a[0:15]",
         "v[0:3], a[0:15]"),
        ("v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", "v[0:3]", "v[0:10]"),
        ("v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel_hi:[1,0,1]", "v[0:1]", "v[2:7]"),
        ("v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf", "v0", "v0, v1"),
        ("v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:0", "v0",
         "v1"),
        ("v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xa bank_mask:0xf bound_ctrl:0", "v0",
         "v0, v1"),
        ("v_or_b32_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", "v0",
         "v0, v1, v2"),
        ("s_load_dwordx4 s[0:3], s[4:5], 0x10", "s[0:3]", "s[4:5]"),
        ("s_and_saveexec_b64 s[2:3], vcc", "s[2:3]", ""),
        ("s_cmp_lt_i32 s2, 1", "", "s2"),
        ("s_addk_i32 s2, 0x4", "s2", "s2"),
        ("s_cbranch_scc1 65532", "", ""),
        ("s_setpc_b64 s[30:31]", "", "s[30:31]"),
        ("s_swappc_b64 s[30:31], s[4:5]", "s[30:31]", "s[4:5]"),
        ("s_waitcnt vmcnt(0) lgkmcnt(0)", "", ""),
        ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15", "", ""),
        ("s_store_dword s4, s[0:1], 0x0", "", "s4, s[0:1]"),
        ("global_load_dwordx4 v[0:3], v4, s[2:3] offset:16", "v[0:3]", "v4, s[2:3]"),
        ("global_load_dword a0, v[2:3], off", "a0", "v[2:3]"),
        ("global_load_short_d16_hi v0, v[2:3], off", "v0", "v0, v[2:3]"),
        ("global_store_dword v0, v1, s[2:3]", "", "v0, v1, s[2:3]"),
        ("global_atomic_add_u32 v0, v1, s[2:3]", "", "v0, v1, s[2:3]"),
        ("global_atomic_add_u32 v5, v0, v1, s[2:3] sc0", "v5", "v0, v1, s[2:3]"),
        ("buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen offset:64", "v[0:3]", "v4, s[0:3]"),
        ("buffer_load_dword v4, s[0:3], 0 offen lds", "", "v4, s[0:3]"),
        ("global_load_lds_dword v[2:3], off", "", "v[2:3]"),
        ("buffer_atomic_add v1, v0, s[0:3], 0 offen glc", "v1", "v0, v1, s[0:3]"),
        ("scratch_load_dwordx2 v[0:1], off, s32", "v[0:1]", "s32"),
        ("scratch_store_dword off, v0, s32 offset:4", "", "v0, s32"),
        ("ds_read_b64 v[248:249], v136 offset:6144", "v[248:249]", "v136"),
        ("ds_write2_b32 v0, v1, v2 offset1:1", "", "v0, v1, v2"),
        ("ds_add_u32 v0, v1", "", "v0, v1"),
        ("ds_add_rtn_u32 v2, v0, v1", "v2", "v0, v1"),
        ("ds_bpermute_b32 v0, v1, v2", "v0", "v1, v2"),
        ("image_load v[0:3], v[4:5], s[0:7] dmask:0xf unorm", "v[0:3]", "v[4:5], s[0:7]"),
        ("image_sample v[0:3], [v4, v9], s[0:7], s[8:11] dmask:0xf", "v[0:3]",
         "v4, v9, s[0:11]"),
    ],
)  # fmt: skip
def test_effects(text: str, writes: str, reads: str) -> None:
    effect = register_effect(text)
    assert effect.writes == bits(writes)
    assert effect.reads == bits(reads)
