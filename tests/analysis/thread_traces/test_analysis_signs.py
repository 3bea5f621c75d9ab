"""What tells causes apart that counters do not: loads in flight, barriers, shuffles, the tail."""

from __future__ import annotations

import numpy as np
import pytest

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, instruction_mix
from rocm_perf_lab.analysis.thread_traces.occupancy import EngineOccupancy
from rocm_perf_lab.analysis.thread_traces.signs import signs_of
from rocm_perf_lab.analysis.thread_traces.waits import (
    Dependency,
    Latency,
    MemoryLatency,
    WaitAnalysis,
    WaitReport,
)
from rocm_perf_lab.trace.thread_trace.model import CodeLine


def line(text: str, hits: int, latency: int = 4, stall: int = 0) -> CodeLine:
    return CodeLine(text, 0, "", 0, 0, hits, latency, stall, 0)


def engine(times: list[int], waves: list[int]) -> EngineOccupancy:
    return EngineOccupancy(0, np.array(times), np.array(waves), 1, 2, None)


def test_what_is_executed_is_counted() -> None:
    code = [
        line("global_load_dword v0, v1", 10),
        line("global_store_dword v1, v0", 7),
        line("s_barrier", 20),
        line("ds_bpermute_b32 v0, v1", 6, latency=30, stall=26),
        line("ds_read_b32 v0, v1", 2),
    ]
    found = signs_of(instruction_mix(code), None, ())
    assert found.barriers_per_load == pytest.approx(2.0)
    assert found.barriers_per_lds == pytest.approx(2.5)
    assert found.shuffle_share == pytest.approx(0.75)
    assert found.lds_queue == pytest.approx(26 / 46)
    assert (found.loads_in_flight, found.tail) == (None, None)


def test_without_loads_and_lds_nothing_is_claimed() -> None:
    found = signs_of(instruction_mix([line("v_add_u32 v0, v1, v2", 1)]), None, ())
    assert (found.barriers_per_load, found.shuffle_share, found.lds_queue) == (None, None, 0.0)


def test_waits_for_atomics_are_told_from_those_for_loads() -> None:
    """A wait is shared by how long each took; a wave that ends behind an atomic waits for it."""
    load, atomic = line("global_load_dword v0, v1", 8), line("global_atomic_add v0, v1", 8)
    wait = line("s_waitcnt vmcnt(0)", 8, latency=1000, stall=1000)
    took = [Dependency(load, Latency(8, 100.0, 1, 9)), Dependency(atomic, Latency(8, 300.0, 1, 9))]
    waits = WaitAnalysis((WaitReport(wait, tuple(took)),), {}, 0)
    code = [load, atomic, wait, line("s_endpgm", 8, latency=492)]
    found = signs_of(instruction_mix(code), waits, ())
    assert found.atomics == pytest.approx((750 + 492) / 1500)
    stored = [line("global_store_dword v0, v1", 8), line("s_endpgm", 8, latency=492)]
    assert signs_of(instruction_mix(stored), None, ()).atomics == 0.0


def test_what_vector_instructions_are_for() -> None:
    code = [
        line("v_mul_hi_u32 v0, v1, v2", 1),
        line("v_add_u32 v0, v1, v2", 9),
        line("global_load_ubyte v0, v1, s[0:1]", 3, latency=30, stall=20),
        line("global_store_dwordx2 v0, v[1:2], s[0:1]", 1),
        line("global_atomic_add v0, v1, s[0:1]", 9),  # no data of neighbours
    ]
    found = signs_of(instruction_mix(code), None, ())
    assert found.sequences == pytest.approx(0.1)
    assert found.access_bytes == pytest.approx((3 * 1 + 1 * 8) / 4)
    assert found.memory_queue == pytest.approx(20 / 46)


def test_functions_of_angles_take_turns_off_and_ask_whether_there_are_any() -> None:
    """Their polynomials are plain products; what is rounded to be an integer is no function."""
    rounded = [line("v_rndne_f32_e32 v0, v1", 2), line("v_fma_f32 v0, v1, v2, v0", 36)]
    assert signs_of(instruction_mix(rounded), None, ()).sequences == 0.0
    angle = [*rounded, line("v_cmp_class_f32_e64 s[0:1], v0, s2", 2)]
    assert signs_of(instruction_mix(angle), None, ()).sequences == pytest.approx(0.1)


def test_loads_in_flight_are_latencies_over_stall() -> None:
    memory = MemoryLatency(Latency(8, 500.0, 400, 600), None, 1000)
    waits = WaitAnalysis((), {InstructionClass.VMEM: memory}, 0)
    mix = instruction_mix([line("s_waitcnt vmcnt(0)", 8)])
    assert signs_of(mix, waits, ()).loads_in_flight == pytest.approx(4.0)


def test_the_tail_begins_with_the_last_wave() -> None:
    """Two waves from 10 on, one of them until 100: half of the slots are lost from 40 to 100."""
    mix = instruction_mix([line("s_nop 0", 1)])
    uneven = engine([0, 10, 40, 100], [1, 2, 1, 0])
    assert signs_of(mix, None, [uneven]).tail == pytest.approx(60 / 200)
    ramp = engine([0, 90, 100], [1, 2, 0])  # a late begin is no tail
    assert signs_of(mix, None, [ramp]).tail == 0.0


def test_scratch_memory_is_a_share_of_vector_memory() -> None:
    code = [line("scratch_load_dword v0, v1", 3), line("global_load_dword v0, v1", 1)]
    assert signs_of(instruction_mix(code), None, ()).scratch == pytest.approx(0.75)


def test_what_may_be_anywhere_is_scratch_where_an_address_in_it_was_made_so() -> None:
    """A function that is given an array cannot know where it lies."""
    code = [line("scratch_store_dwordx4 off, v[0:3]", 1), line("flat_load_dword v0, v[2:3]", 2)]
    assert signs_of(instruction_mix(code), None, (), code).scratch == pytest.approx(1 / 3)
    base = line("s_mov_b64 s[0:1], src_private_base", 1)
    assert signs_of(instruction_mix(code), None, (), [base, *code]).scratch == pytest.approx(1.0)
    never = line(base.text, 0)  # another way through the code
    assert signs_of(instruction_mix(code), None, (), [never, *code]).scratch == pytest.approx(1 / 3)


def test_a_function_of_angles_is_told_by_its_quarter() -> None:
    """One of small angles does not ask whether they are finite."""
    code = [line("v_rndne_f32_e32 v0, v1", 2), line("v_fma_f32 v0, v1, v2, v3", 16)]
    assert signs_of(instruction_mix(code), None, (), code).sequences == 0.0
    code.append(line("v_lshlrev_b32_e32 v0, 30, v0", 2))
    assert signs_of(instruction_mix(code), None, (), code).sequences == pytest.approx(0.2)
