"""Which results are the same for all lanes of a wave."""

from __future__ import annotations

from rocm_perf_lab.analysis.code.data_flow import flow_of
from rocm_perf_lab.analysis.thread_traces.same_lanes import same_for_all_lanes


def same(*program: str) -> list[bool]:
    return same_for_all_lanes([flow_of(text) for text in program])


def test_lanes_differ_by_their_number_and_what_follows_from_it() -> None:
    assert same(
        "v_mov_b32_e32 v2, s4",
        "v_mul_f32_e32 v3, v2, v2",
        "v_add_u32_e32 v4, s4, v0",
        "v_mul_f32_e32 v5, v3, v4",
    ) == [True, True, False, False]


def test_what_is_loaded_is_the_same_where_its_address_is() -> None:
    assert same(
        "v_mov_b32_e32 v2, s4",
        "global_load_dword v3, v2, s[0:1]",
        "v_add_f32_e32 v5, v3, v3",
        "global_load_dword v4, v0, s[0:1]",
        "v_add_f32_e32 v5, v4, v3",
        "scratch_load_dword v6, off, s2",  # each lane has its own
        "v_readfirstlane_b32 s6, v4",
        "v_cvt_f32_u32_e32 v7, s6",
        "v_mbcnt_lo_u32_b32 v8, -1, 0",
    ) == [True, True, True, False, False, False, True, True, False]


def test_lanes_that_are_switched_off_keep_what_they_have() -> None:
    assert same(
        "v_cmp_lt_u32_e32 vcc, 3, v0",
        "s_and_saveexec_b64 s[2:3], vcc",
        "v_mov_b32_e32 v2, 1.0",
        "s_or_b64 exec, exec, s[2:3]",
        "v_mov_b32_e32 v3, 1.0",
        "v_add_f32_e32 v4, v2, v3",
    ) == [False, False, False, True, True, False]
