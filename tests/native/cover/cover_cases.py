"""Kernels in assembly, run by one wave of 64 lanes; v0 is the lane.

Behind ``;=`` stands what is known of a line afterwards: Reached, Active, Jumped (taken), Not taken,
True, False, or - for nothing; without it, RA. Numbers are the pairs of operands that a comparison
shows; without them they are not looked at.
"""

from __future__ import annotations

CASES = {
    "loop": """
  s_mov_b32 s4, 0
loop_again:
  s_add_u32 s4, s4, 1
  s_cmp_lt_u32 s4, 3 ;= RATF (1, 3) (2, 3) (3, 3)
  s_cbranch_scc1 loop_again ;= RAJN
  s_cbranch_scc0 loop_next ;= RAJ
loop_next:
  s_cbranch_scc1 loop_end ;= RAN
  s_cbranch_vccz loop_end ;= RAJ
  s_nop 0 ;= -
loop_end:
  s_endpgm
""",
    "many_pairs": """
  s_mov_b32 s4, 0
many_again:
  s_add_u32 s4, s4, 1
  s_cmp_eq_u32 s5, s5 ;= RAT (0, 0)
  s_cmp_lt_u32 s4, 9 ;= RATF (1, 9) (2, 9) (8, 9) (9, 9)
  s_cbranch_scc1 many_again ;= RAJN
  s_endpgm
""",
    "no_lanes": """
  s_mov_b64 exec, 0
  v_mov_b32 v1, 1 ;= R
  v_cmp_eq_u32 vcc, v0, v0 ;= R
  v_min_u32 v1, v0, v0 ;= R
  s_cmp_eq_u32 s4, s4 ;= RT
  s_cbranch_execnz no_lanes_end ;= RN
  s_cbranch_execz no_lanes_end ;= RJ
  v_mov_b32 v2, 2 ;= -
no_lanes_end:
  s_mov_b64 exec, -1 ;= R
  v_mov_b32 v2, 2
  s_endpgm
""",
    "scalar_compares": """
  s_mov_b32 s4, -1
  s_mov_b32 s5, 2
  s_cmp_lt_i32 s4, s5 ;= RAT (0xffffffff, 2)
  s_cmp_lt_u32 s4, s5 ;= RAF (0xffffffff, 2)
  s_cmp_eq_u64 s[4:5], 0 ;= RAF (0x2ffffffff, 0)
  s_cmp_lg_u64 s[4:5], -1 ;= RAT (0x2ffffffff, 0xffffffffffffffff)
  s_cmpk_eq_i32 s4, -1 ;= RAT (0xffffffff, 0xffffffff)
  s_cmpk_lt_u32 s4, 0xffff ;= RAF (0xffffffff, 0xffff)
  s_bitcmp1_b32 s5, 1 ;= RAT (2, 1)
  s_bitcmp0_b32 s5, 1 ;= RAF (2, 1)
  s_bitcmp1_b64 s[4:5], 33 ;= RAT (0x2ffffffff, 33)
  s_cselect_b32 s6, 1, 2 ;= RAT
  s_cmp_lg_u32 s4, s4 ;= RAF
  s_cselect_b64 s[6:7], 1, 2 ;= RAF
  s_cmov_b32 s6, 1 ;= RAF
  s_cmovk_i32 s6, 0x1 ;= RAF
  s_endpgm
""",
    "mask_pairs": """
  s_mov_b64 s[4:5], 0xf
  s_mov_b64 s[6:7], 0x3c
  s_and_b64 s[8:9], s[4:5], s[6:7] ;= RAJNTF
  s_or_b64 s[8:9], s[4:5], 0 ;= RANT
  s_nand_b64 s[8:9], s[4:5], s[4:5] ;= RAJN
  s_nor_b64 s[8:9], 0, s[4:5] ;= RANF
  s_andn2_b64 s[8:9], s[4:5], s[4:5] ;= RATF
  s_orn2_b64 s[8:9], s[4:5], 0 ;= RAJF
  s_xor_b64 s[8:9], s[4:5], s[6:7] ;= RA
  s_mov_b64 exec, 0xc
  s_and_b64 s[8:9], s[4:5], s[6:7] ;= RAJ
  s_or_b64 s[8:9], s[4:5], 3 ;= RAT
  s_mov_b64 exec, 0
  s_and_b64 s[8:9], s[4:5], s[6:7] ;= R
  s_mov_b64 exec, -1 ;= R
  s_endpgm
""",
    "vector_compares": """
  v_cmp_gt_u32 vcc, 32, v0 ;= RATF (32, 0)
  v_cmp_gt_u32 vcc, 64, v0 ;= RAT (64, 0)
  v_cmp_gt_u32 s[4:5], 0, v0 ;= RAF (0, 0)
  v_mov_b32 v1, 1.0
  v_cmp_lt_f32 vcc, 0, v1 ;= RAT (0, 0x3f800000)
  v_cmp_lt_f32 s[4:5], 0, -v1 ;= RAF (0, 0xbf800000)
  v_cmp_lt_f32 s[4:5], 0, -|v1| ;= RAF (0, 0xbf800000)
  v_cmp_class_f32 vcc, v1, v0 ;= RAF (0x3f800000, 0)
  v_mov_b32 v2, 0x4003
  v_cmp_eq_u32_sdwa vcc, v2, v0 src0_sel:BYTE_0 src1_sel:DWORD ;= RATF (3, 0)
  v_mov_b32 v3, 5
  v_cmp_eq_u64 vcc, v[2:3], v[2:3] ;= RAT (0x500004003, 0x500004003)
  v_cmp_lt_i16 vcc, v0, v2 ;= RAT (0, 0x4003)
  v_cmp_t_u32 vcc, v0, v0 ;= RAT (0, 0)
  s_mov_b64 exec, 0xffffff00
  v_cmp_gt_u32 vcc, 32, v0 ;= RAT (32, 8)
  v_cmpx_gt_u32 vcc, 16, v0 ;= RATF (16, 8)
  v_cmp_gt_u32 vcc, 16, v0 ;= RAT (16, 8)
  s_endpgm
""",
    "selects": """
  v_cmp_gt_u32 vcc, 32, v0 ;= RATF
  v_cndmask_b32 v1, v0, v0, vcc ;= RATF
  s_mov_b64 s[4:5], 0
  v_cndmask_b32 v1, v0, v0, s[4:5] ;= RAF
  s_not_b64 s[4:5], s[4:5]
  v_cndmask_b32 v1, v0, v0, s[4:5] ;= RAT
  v_cndmask_b32_sdwa v1, v0, v0, vcc src0_sel:BYTE_0 src1_sel:DWORD ;= RATF
  v_cndmask_b32_dpp v1, v0, v0, vcc row_mirror row_mask:0x3 bank_mask:0xf ;= RAT
  s_mov_b64 exec, 0xffff
  v_cndmask_b32 v1, v0, v0, vcc ;= RAT
  s_endpgm
""",
    "extremes": """
  v_min_u32 v1, 32, v0 ;= RATF
  v_min_u32 v1, v0, 32 ;= RATF
  v_min_u32 v1, 0, v0 ;= RAT
  v_max_u32 v1, 0, v0 ;= RAF
  v_min_u32 v1, v0, v0
  v_max_i32 v1, -1, v0 ;= RAF
  v_max_u32 v1, -1, v0 ;= RAT
  v_cvt_f32_u32 v2, v0 ;= RAF
  v_max_f32 v1, v2, v2
  v_min_f32 v1, -v2, v2 ;= RAT
  v_med3_i32 v1, v0, 5, 50 ;= RATF
  v_med3_i32 v1, 5, v0, 50 ;= RATF
  v_med3_i32 v1, v0, -5, 64 ;= RAT
  v_min3_u32 v1, v0, 20, 30 ;= RATF
  v_mov_b32 v3, 0x10002
  v_mov_b32 v4, 0x20001
  v_pk_min_u16 v1, v3, v4 ;= RATF
  v_pk_max_u16 v1, v3, v3
  v_min_u16 v1, v3, v4 ;= RAF
  v_mov_b32 v5, 1.0
  v_mov_b32 v6, 0
  v_mov_b32 v7, 2.0
  v_max_f64 v[8:9], v[6:7], 1.0 ;= RAT
  s_mov_b32 s4, 7
  s_min_u32 s5, s4, 9 ;= RAT
  s_max_i32 s5, s4, 9 ;= RAF
  s_min_u32 s5, s4, 7
  s_endpgm
""",
    "bits": """
  v_and_b32 v1, 31, v0 ;= RATF
  v_and_b32 v1, 63, v0 ;= RAF
  v_and_b32 v1, v0, v0 ;= RAF
  v_mov_b32 v2, 0x100
  v_and_b32 v1, 31, v2 ;= RAT
  v_and_or_b32 v1, v0, 15, 1 ;= RATF
  v_bfe_u32 v1, v0, 0, 5 ;= RATF
  v_bfe_u32 v1, v0, 0, 6 ;= RAF
  v_bfe_i32 v1, v0, 0, 6 ;= RATF
  s_mov_b32 s4, 0x1ff
  s_and_b32 s5, s4, 0xff ;= RAT
  s_and_b32 s5, s4, 0xfff ;= RAF
  s_bfe_u32 s5, s4, 0x80000 ;= RAT
  s_bfe_u32 s5, s4, 0x90000 ;= RAF
  s_mov_b32 s5, 1
  s_bfe_u64 s[6:7], s[4:5], 0x200000 ;= RAT
  s_and_b64 s[6:7], s[4:5], 1 ;= RAJNT
  s_endpgm
""",
    "factors": """
  v_lshlrev_b32 v1, 20, v0
  v_mul_u32_u24 v2, v0, v0 ;= RAF
  v_mul_u32_u24 v2, v0, v1 ;= RATF
  v_mul_hi_u32_u24 v2, v1, v0 ;= RATF
  v_mad_u32_u24 v2, v0, v0, v1 ;= RAF
  v_mov_b32 v3, 0x800000
  v_mul_u32_u24 v2, v3, v0 ;= RAF
  v_mul_i32_i24 v2, v3, v0 ;= RAT
  v_mov_b32 v3, -1
  v_mul_i32_i24 v2, v3, v0 ;= RAF
  v_mul_u32_u24 v2, v3, v0 ;= RAT
  v_mad_i32_i24 v2, v0, v1, v0 ;= RATF
  s_endpgm
""",
    "conversions": """
  v_cvt_f32_u32 v1, v0 ;= RAF
  v_add_u32 v2, 0xffffff, v0
  v_cvt_f32_u32 v1, v2 ;= RATF
  v_sub_u32 v3, 0, v2
  v_cvt_f32_i32 v1, v3 ;= RATF
  v_mov_b32 v4, 0x80000000
  v_cvt_f32_i32 v1, v4 ;= RAF
  v_mov_b32 v4, 0x801
  v_cvt_f16_u16 v1, v4 ;= RAT
  v_cvt_f32_u32 v5, v0 ;= RAF
  v_cvt_u32_f32 v1, v5 ;= RAF
  v_cvt_u32_f32 v1, -v5 ;= RATF
  v_cvt_i32_f32 v1, -v5 ;= RAF
  v_mov_b32 v6, 0x4f000000
  v_cvt_i32_f32 v1, v6 ;= RAT
  v_cvt_u32_f32 v1, v6 ;= RAF
  v_mov_b32 v6, 0x7fc00000
  v_cvt_u32_f32 v1, v6 ;= RAT
  v_mov_b32 v6, -0.5
  v_cvt_u32_f32 v1, v6 ;= RAF
  v_cvt_flr_i32_f32 v1, v6 ;= RAF
  v_mov_b32 v6, 0
  v_mov_b32 v7, 0x41f00000
  v_cvt_u32_f64 v1, v[6:7] ;= RAT
  s_endpgm
""",
    "calls": """
  s_call_b64 s[8:9], shared_function
  s_call_b64 s[8:9], shared_function
  s_endpgm
shared_function:
  v_add_u32 v1, v0, v0
  s_setpc_b64 s[8:9]
  s_nop 0 ;= -
""",
    "calls_back": """
  s_call_b64 s[8:9], shared_function
  s_endpgm
  s_nop 0 ;= -
""",
    "skips": """
  s_mov_b32 s4, 1
  s_setvskip s4, 0
  v_mov_b32 v1, 1 ;= -
  s_setvskip 0, 0
  v_mov_b32 v1, 1
  s_endpgm
""",
    "indexed": """
  v_mov_b32 v1, 1
  v_mov_b32 v2, 2
  v_mov_b32 v4, 3
  s_mov_b32 s4, 3
  v_min_u32 v5, v1, v2 ;= RAT
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  v_min_u32 v5, v1, v2 ;= RAF
  s_set_gpr_idx_off
  s_endpgm
""",
}
