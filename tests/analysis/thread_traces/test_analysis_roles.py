"""What traced instructions are for, by where their results go."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.analysis.thread_traces.roles import Role, purposes_of
from rocm_perf_lab.trace.thread_trace.model import CodeLine, Steps, ThreadTrace, TracedWave

_EACH = 10  # cycles from one instruction to the next


def traced(*program: str, waves: int = 1) -> ThreadTrace:
    """Every instruction once, in order."""
    code = tuple(CodeLine(text, n, "", 0, 4 * n, 1, 4, 0, 0) for n, text in enumerate(program))
    count = len(program)
    times = np.arange(count) * _EACH
    steps = Steps(times, times * 0, times * 0, times * 0 + _EACH, np.arange(count))
    wave = TracedWave(0, 0, 0, 0, 0, count * _EACH, steps)
    return ThreadTrace("x", (), code, (wave,) * waves)


def counted(*program: str) -> dict[Role, int]:
    """Instructions of each role; nothing is lost."""
    shares = purposes_of(traced(*program)).time
    assert sum(shares.values()) == pytest.approx(1.0)
    return {role: round(share * len(program)) for role, share in shares.items()}


def test_what_makes_the_address_of_a_narrow_load_goes_with_it() -> None:
    found = counted(
        "s_lshl_b32 s4, s5, 2",
        "v_add_u32_e32 v2, s4, v3",
        "global_load_ubyte v1, v2, s[0:1]",
        "v_add_u32_e32 v4, 4, v5",
        "global_load_dword v6, v4, s[0:1]",
        "v_add_u32_e32 v8, 8, v9",
        "ds_read_b32 v7, v8",
    )
    assert found[Role.NARROW_LOADS] == 3
    assert found[Role.ADDRESSES] == 1
    assert (found[Role.LDS], found[Role.LDS_ADDRESSES]) == (1, 1)
    assert found[Role.REST] == 1


def test_what_is_a_result_as_well_is_no_address() -> None:
    found = counted(
        "v_mul_lo_u32 v2, v3, v4",
        "global_load_ubyte v1, v2, s[0:1]",
        "global_store_dword v9, v2, s[2:3]",
    )
    assert found == {Role.INTEGER: 1, Role.NARROW_LOADS: 1, Role.REST: 1}


def test_a_sum_that_is_stored_later_is_work() -> None:
    """Of a long loop only its beginning is followed."""
    found = counted("v_add_f32_e32 v0, v0, v1", "s_add_i32 s0, s0, -1", "s_cmp_eq_u32 s0, 0")
    assert found == {Role.FLOAT: 1, Role.CONTROL: 2}


def test_what_is_compared_to_choose_a_value_is_work() -> None:
    """Of a sum that is stored later, too."""
    choice = ("v_cmp_lt_f32_e32 vcc, v1, v2", "v_cndmask_b32_e32 v3, v1, v2, vcc")
    assert counted(*choice, "v_add_f32_e32 v0, v0, v3") == {Role.FLOAT: 2, Role.INTEGER: 1}


def test_what_decides_a_branch_and_is_added_up_is_work() -> None:
    """The sum is stored after the followed steps."""
    found = counted(
        "v_mul_f32_e32 v1, v2, v3",
        "v_cmp_lt_f32_e32 vcc, 0, v1",
        "s_cbranch_vccnz 5",
        "v_add_f32_e32 v4, v4, v1",
    )
    assert found == {Role.FLOAT: 2, Role.CONTROL: 2}


def test_the_last_of_an_address_or_a_counter_is_for_what_those_before_were_for() -> None:
    turn = ("global_load_ubyte v1, v2, s[0:1]", "v_add_u32_e32 v2, 1, v2", "s_add_i32 s4, s4, -1")
    found = counted(*(*turn, "s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 65530") * 3)
    assert found == {Role.NARROW_LOADS: 6, Role.CONTROL: 9}


def test_what_only_decides_branches_is_control() -> None:
    found = counted(
        "v_and_b32_e32 v1, 3, v2",
        "v_cmp_eq_u32_e32 vcc, 0, v1",
        "s_and_saveexec_b64 s[0:1], vcc",
        "s_cbranch_execz 5",
        "v_add_f64 v[4:5], v[4:5], v[6:7]",
        "global_store_dwordx2 v8, v[4:5], s[2:3]",
    )
    assert found == {Role.CONTROL: 4, Role.DOUBLE: 1, Role.REST: 1}


_LOADS = ("global_load_ushort v1, v0, s[0:1]", "global_load_ushort v2, v0, s[2:3]")
_WIDE_LOADS = ("global_load_dword v1, v0, s[0:1]", "global_load_dword v2, v0, s[2:3]")
_WIDENED = ("v_cvt_f32_f16_e32 v3, v1", "v_cvt_f32_f16_e32 v4, v2")
_STORE = "global_store_dword v9, v5, s[4:5]"


def test_products_of_loaded_values_that_are_added_up() -> None:
    turn = (*_LOADS, *_WIDENED, "v_fmac_f32_e32 v5, v3, v4")
    found = counted(*turn * 4, _STORE)
    assert (found[Role.NARROW_PRODUCTS], found[Role.OPERANDS]) == (4, 8)
    wide = counted(*(*_WIDE_LOADS, "v_fma_f32 v5, v1, v2, v5") * 4, _STORE)
    assert wide[Role.PRODUCTS] == 4
    one = (_LOADS[0], _WIDE_LOADS[1], _WIDENED[0], "v_fmac_f32_e32 v5, v3, v2")
    assert counted(*one * 4, _STORE)[Role.PRODUCTS] == 4  # a weight of four bytes
    few = counted(*turn * 3, _STORE)  # a place in a table, or two coordinates
    assert Role.NARROW_PRODUCTS not in few
    assert few[Role.FLOAT] == 3


def test_two_halves_in_a_register_are_narrow() -> None:
    turn = (*_WIDE_LOADS, *_WIDENED, "v_fmac_f32_e32 v5, v3, v4")
    assert counted(*turn * 4, _STORE)[Role.NARROW_PRODUCTS] == 4


def test_products_and_sums_of_two_instructions() -> None:
    turn = (*_WIDE_LOADS, "v_mul_f32_e32 v3, v1, v2", "v_add_f32_e32 v5, v5, v3")
    assert counted(*turn * 4, _STORE)[Role.PRODUCTS] == 8


def test_a_polynomial_is_no_sum_of_products() -> None:
    """Each step multiplies the result of the one before."""
    found = counted(*_WIDE_LOADS, *("v_fma_f32 v5, v5, v1, v2",) * 8, _STORE)
    assert found[Role.FLOAT] == 8  # nor one of a function, whose steps have constants


def test_steps_of_a_function_are_polynomials() -> None:
    """Each has a constant of its own, in a register or in the instruction."""
    steps = ("v_fmamk_f32 v5, v1, 0x3f000000, v7", "v_fmaak_f32 v5, v1, v5, 0xbe2aaa9d") * 2
    program = ("v_mov_b32_e32 v7, 0x3c0881c4", _WIDE_LOADS[0])
    found = counted(*program, steps[0], *steps[1::2], "v_fma_f32 v5, v1, v5, 1.0", _STORE)
    assert found[Role.POLYNOMIALS] == 4
    short = counted(*program, steps[0], *steps[1:2] * 2, _STORE)
    assert short[Role.POLYNOMIALS] == 3
    assert Role.POLYNOMIALS not in counted(*program, *steps[:2], _STORE)
    uniform = ("v_mov_b32_e32 v1, s4", "v_mov_b32_e32 v7, 0x3c0881c4", steps[0], *steps[1::2])
    assert counted(*uniform, "v_fma_f32 v5, v1, v5, 1.0", _STORE)[Role.SAME] >= 4
    long = counted(*program, steps[0], *steps[1:2] * 20, _STORE)  # a program iterates it
    assert Role.POLYNOMIALS not in long
    assert long[Role.FLOAT] == 21
    double = ("v_fma_f64 v[4:5], v[2:3], v[4:5], s[6:7]",) * 4
    assert Role.POLYNOMIALS not in counted("s_mov_b64 s[6:7], 2.0", *double)


@pytest.mark.parametrize(
    ("then", "share"),
    [
        (("v_add_u32_e32 v5, v5, v1",), 0.0),
        (("v_cmp_eq_u32_e32 vcc, 0, v1", "s_cbranch_vccnz 5"), 1.0),
        (("v_lshlrev_b32_e32 v3, 2, v1", "global_load_dword v4, v3, s[2:3]"), 0.5),
        (("ds_write_b32 v8, v1",), 0.0),
    ],
)
def test_loads_decide_where_their_value_leads_to_a_branch_or_an_address(
    then: tuple[str, ...], share: float
) -> None:
    found = purposes_of(traced("global_load_ubyte v1, v0, s[0:1]", *then)).deciding_loads
    assert found == pytest.approx(share)


@pytest.mark.parametrize(
    "product",
    ["v_dot4c_i32_i8_e32 v5, v1, v2", "v_fma_mix_f32 v5, v1, v2, v5 op_sel_hi:[1,1,0]"],
)
def test_some_products_take_narrow_operands_as_they_are(product: str) -> None:
    found = counted(*(*_WIDE_LOADS, product) * 4, _STORE)
    assert found[Role.NARROW_PRODUCTS] == 4


def test_bytes_that_are_put_together_by_a_mask_are_loaded_values() -> None:
    turn = (*_LOADS, "v_perm_b32 v3, v1, v2, s8", "v_dot4c_i32_i8_e32 v5, v3, v1")
    found = counted("s_mov_b32 s8, 0x5040100", *turn * 4, _STORE)
    assert (found[Role.NARROW_PRODUCTS], found[Role.OPERANDS]) == (4, 4)


def test_values_that_are_made_wide_for_the_lds_are_narrow() -> None:
    stored = ("ds_write_b32 v9, v3", "ds_write_b32 v9, v4")
    turn = ("ds_read_b32 v6, v8", "ds_read_b32 v7, v8", "v_fmac_f32_e32 v5, v6, v7")
    found = counted(*_LOADS, *_WIDENED, *stored, *turn * 4, _STORE)
    assert found[Role.NARROW_PRODUCTS] == 4
    wide = counted(*_WIDE_LOADS, "ds_write_b32 v9, v1", *turn * 4, _STORE)
    assert wide[Role.PRODUCTS] == 4
    others = (*_WIDE_LOADS, "v_fmac_f32_e32 v5, v1, v2")  # which do not come through the LDS
    assert counted(*_LOADS, *_WIDENED, *stored, *others * 4, _STORE)[Role.PRODUCTS] == 4


def test_the_lane_of_an_exchange_is_no_address() -> None:
    found = counted("v_xor_b32_e32 v1, 4, v2", "ds_bpermute_b32 v3, v1, v4", "v_add_u32 v5, v5, v3")
    assert found == {Role.INTEGER: 2, Role.REST: 1}
    swizzle = "ds_swizzle_b32 v3, v1 offset:swizzle(SWAP,1)"
    assert counted("v_add_u32_e32 v1, v1, v2", swizzle) == {Role.INTEGER: 1, Role.REST: 1}


def test_scratch_goes_with_its_addresses() -> None:
    found = counted("v_lshlrev_b32_e32 v1, 2, v2", "scratch_load_dword v3, v1, off")
    assert found == {Role.SCRATCH: 2}


def test_time_is_what_passes_until_the_next_instruction() -> None:
    trace = traced("s_waitcnt vmcnt(0)", "v_add_f32_e32 v0, v0, v1")
    (wave,) = trace.waves
    late = Steps(np.array([0, 90]), *(np.array([0, 0]),) * 2, np.array([4, 10]), np.array([0, 1]))
    later = TracedWave(0, 0, 0, 0, 0, 100, late)
    shares = purposes_of(ThreadTrace("x", (), trace.code, (later,))).time
    assert shares == {Role.REST: pytest.approx(0.9), Role.FLOAT: pytest.approx(0.1)}
    both = purposes_of(ThreadTrace("x", (), trace.code, (later, wave))).time
    assert both[Role.REST] == pytest.approx(100 / 120)
    assert counted("s_branch 5", "s_endpgm") == {Role.CONTROL: 1, Role.REST: 1}


def test_nothing_is_claimed_without_waves() -> None:
    for trace in (ThreadTrace("x", (), (), ()), traced()):
        found = purposes_of(trace)
        assert (found.time, found.deciding_loads) == ({}, None)


def test_vector_work_that_is_the_same_for_all_lanes_is_told_from_other_work() -> None:
    found = counted(
        "v_cvt_f32_i32_e32 v2, s4",
        "v_mul_f32_e32 v2, 0.5, v2",
        "v_sin_f32_e32 v2, v2",
        "v_fma_f32 v1, v2, v3, v1",
        "global_store_dword v0, v1, s[0:1]",
    )
    assert found == {Role.SAME: 3, Role.FLOAT: 1, Role.REST: 1}


def test_elements_of_an_array_in_registers_are_picked_by_comparing_their_place() -> None:
    """Of six and more: fewer are cases of a program."""

    def picked(count: int) -> tuple[str, ...]:
        each = ("v_cmp_eq_u32_e32 vcc, {}, v1", "v_cndmask_b32_e32 v{}, v{}, v9, vcc")
        return tuple(text.format(n, n) for n in range(20, 20 + count) for text in each)

    load = "global_load_dword v1, v0, s[0:1]"
    assert counted(load, *picked(6), _STORE)[Role.SELECTS] == 12
    assert Role.SELECTS not in counted(load, *picked(5), _STORE)
    branches = ("v_cmp_eq_u32_e32 vcc, {}, v1", "s_cbranch_vccnz 5")  # a switch
    cases = [text.format(n) for n in range(8) for text in branches]
    assert counted(load, *cases) == {Role.REST: 1, Role.CONTROL: 16}


_TURN = (
    *("s_add_i32 s4, s4, -1", "v_add_u32_e32 v2, s8, v2", "v_lshlrev_b32_e32 v3, 2, v2"),
    *("global_load_ubyte v1, v2, s[0:1]", "global_load_dword v4, v3, s[2:3]"),
    *("v_cvt_f32_ubyte0_e32 v5, v1", "v_fmac_f32_e32 v6, v5, v4", "ds_write_b32 v3, v6"),
    *("v_cmp_eq_u32_e32 vcc, 3, v1", "v_cndmask_b32_e32 v7, v7, v6, vcc"),
    *("s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 65530"),
)


@given(st.permutations(range(1, 9)), st.permutations(range(10, 20)), st.integers(1, 5))
def test_names_of_registers_do_not_matter(vector: list[int], scalar: list[int], turns: int) -> None:
    def named(text: str) -> str:
        text = re.sub(r"\bv(\d)\b", lambda found: f"v{vector[int(found[1]) - 1]}", text)
        return re.sub(r"\bs(\d)\b", lambda found: f"s{scalar[int(found[1])]}", text)

    assert counted(*map(named, _TURN * turns)) == counted(*_TURN * turns)


@given(st.lists(st.sampled_from(_TURN) | st.text(max_size=40), max_size=30))
def test_whatever_the_text_is_all_time_has_a_role(program: list[str]) -> None:
    shares = purposes_of(traced(*program)).time
    assert sum(shares.values()) == pytest.approx(1.0 if program else 0.0)


def test_how_many_waves_and_how_long_they_take_does_not_matter() -> None:
    trace = traced(*_TURN * 3)
    (wave,) = trace.waves
    steps = replace(wave.steps, time=wave.steps.time * 7, duration=wave.steps.duration * 7)
    slow = replace(wave, steps=steps, end=7 * wave.end)
    one = purposes_of(trace)
    assert purposes_of(replace(trace, waves=(wave,) * 9)).time == pytest.approx(one.time)
    assert purposes_of(replace(trace, waves=(slow,))).time == pytest.approx(one.time)
