"""Which steps a wait is about, and the latencies that follow."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import numpy as np
import pytest

from fakes.recordings import recording
from fakes.thread_traces import LOAD, SPILL, documents, write_folder
from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass
from rocm_perf_lab.analysis.thread_traces.waits import Latency, WaitAnalysis, analyse_waits
from rocm_perf_lab.trace.thread_trace.model import (
    CodeLine,
    Steps,
    ThreadTrace,
    TracedWave,
    Wait,
)
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

C = InstructionClass
VECTOR, SCALAR, WAIT_VECTOR, WAIT_BOTH, ALU = range(5)
TEXTS = (
    "global_load_dword v1, v0, s[0:1]",
    "s_load_dword s0, s[2:3], 0x0",
    "s_waitcnt vmcnt(1)",
    "s_waitcnt vmcnt(0) lgkmcnt(0)",
    "v_nop",
)


def analysed(steps: list[tuple[int, int, int, int]], waits: list[Wait]) -> WaitAnalysis:
    """Of one wave, with steps of (line, time, stall, duration)."""
    line, time, stall, duration = np.array(steps, dtype=np.int64).T
    columns = Steps(time, np.zeros_like(time), stall, duration, line)
    wave = TracedWave(0, 0, 0, 0, 0, 10_000, columns, tuple(waits))
    code = tuple(
        CodeLine(text, n, "", 0, 0, int((line == n).sum()), 1, int(stall[line == n].sum() > 0), 0)
        for n, text in enumerate(TEXTS)
    )
    found = analyse_waits(ThreadTrace("test", (), code, (wave,)))
    assert found is not None
    return found


def latencies(found: WaitAnalysis, wait: int) -> dict[int, Optional[Latency]]:
    (report,) = (r for r in found.waits if r.code.line == wait)
    return {d.code.line: d.latency for d in report.dependencies}


def test_latency_is_from_issue_to_the_end_of_the_wait(tmp_path: Path) -> None:
    trace = read_thread_trace(write_folder(tmp_path, documents()))
    found = analyse_waits(trace)
    assert found is not None
    (report,) = found.waits
    assert [(d.code.line, d.latency) for d in report.dependencies] == [
        (LOAD, Latency(2, (520 + 640) / 2, 520, 640)),
        (SPILL, Latency(2, (516 + 636) / 2, 516, 636)),
    ]
    memory = found.memory[C.VMEM]
    assert memory.until_wait_ends == Latency(4, (520 + 640 + 516 + 636) / 4, 516, 640)
    assert memory.exposed == Latency(2, (516 + 636) / 2, 516, 636)  # the last ones issued
    assert memory.stall == 1144
    assert found.unmatched == 0


def test_the_mean_is_by_executions_and_not_by_rows() -> None:
    """A loop of 1000 loads of 400 cycles has a latency of 400, however few rows it has."""
    steps = []
    for n in range(1000):
        steps += [(VECTOR, 1000 * n, 0, 4), (WAIT_VECTOR, 1000 * n + 4, 396, 396)]
    found = analysed(steps, [Wait(WAIT_VECTOR, (VECTOR,))] * 1000)
    assert found.memory[C.VMEM].until_wait_ends == Latency(1000, 400, 400, 400)


def test_loads_that_are_ahead_are_told_apart() -> None:
    """A loop with one load in flight: every wait is for the load before the last."""
    steps = [(VECTOR, 0, 0, 4)]
    for n in range(1, 4):
        steps += [(VECTOR, 100 * n, 0, 4), (WAIT_VECTOR, 100 * n + 4, 50, 50)]
    found = analysed(steps, [Wait(WAIT_VECTOR, (VECTOR,))] * 3)
    assert latencies(found, WAIT_VECTOR) == {VECTOR: Latency(3, 154, 154, 154)}
    assert found.unmatched == 0


def test_a_wait_without_link_leaves_the_link_to_the_next_one() -> None:
    """The first time nothing was outstanding, so the decoder linked the second one only."""
    steps = [(WAIT_VECTOR, 0, 4, 4), (VECTOR, 10, 0, 4), (WAIT_VECTOR, 20, 90, 90)]
    found = analysed(steps, [Wait(WAIT_VECTOR, (VECTOR,))])
    assert latencies(found, WAIT_VECTOR) == {VECTOR: Latency(1, 100, 100, 100)}


def test_one_wait_for_two_counters() -> None:
    steps = [(SCALAR, 0, 0, 4), (VECTOR, 10, 0, 4), (WAIT_BOTH, 20, 180, 180)]
    found = analysed(steps, [Wait(WAIT_BOTH, (SCALAR,)), Wait(WAIT_BOTH, (VECTOR,))])
    assert latencies(found, WAIT_BOTH) == {
        VECTOR: Latency(1, 190, 190, 190),
        SCALAR: Latency(1, 200, 200, 200),
    }
    # Which of the two came last is not known, so neither is a latency itself.
    assert found.memory[C.VMEM].exposed is found.memory[C.SMEM].exposed is None
    assert found.memory[C.VMEM].stall == 180


@pytest.mark.parametrize(
    ("loads", "exposed"), [((VECTOR, VECTOR), True), ((SCALAR, SCALAR), False), ((SCALAR,), True)]
)
def test_scalar_loads_return_in_any_order(loads: tuple[int, ...], exposed: bool) -> None:
    issued = [(line, 10 * n, 0, 4) for n, line in enumerate(loads)]
    found = analysed([*issued, (WAIT_BOTH, 50, 70, 70)], [Wait(WAIT_BOTH, loads)])
    (memory,) = found.memory.values()
    assert memory.until_wait_ends.largest == 120
    assert (memory.exposed is not None) is exposed


@pytest.mark.parametrize(("stall", "exposed"), [(4, False), (8, False), (12, True)])
def test_what_had_already_come_back_is_not_exposed(stall: int, exposed: bool) -> None:
    steps = [(VECTOR, 0, 0, 4), (ALU, 4, 0, 4), (WAIT_VECTOR, 900, stall, stall)]
    memory = analysed(steps, [Wait(WAIT_VECTOR, (VECTOR,))]).memory[C.VMEM]
    assert memory.until_wait_ends.mean == 900 + stall
    assert (memory.exposed is not None) is exposed


def test_links_that_the_steps_do_not_explain_are_counted() -> None:
    steps = [(VECTOR, 0, 0, 4), (WAIT_VECTOR, 4, 90, 90)]
    links = [
        Wait(WAIT_VECTOR, (VECTOR,)),
        Wait(WAIT_VECTOR, (VECTOR,)),  # no second execution
        Wait(WAIT_BOTH, (SCALAR,)),  # never executed
        Wait(77, (VECTOR,)),  # not in the code
        Wait(WAIT_VECTOR, (WAIT_VECTOR,)),  # waits for itself
    ]
    found = analysed(steps, links)
    assert found.unmatched == 4
    assert latencies(found, WAIT_VECTOR) == {VECTOR: Latency(1, 94, 94, 94)}


def test_no_waves_no_waits() -> None:
    assert analyse_waits(ThreadTrace("stats.csv", (), ())) is None


def test_recorded_latencies() -> None:
    """LDS takes 56 cycles and more on this chip; what is computed before a wait hides the rest."""
    name = "mi300x-batched-gemm-trace/ui_output_agent_5600_dispatch_2"
    found = analyse_waits(read_thread_trace(recording(name)))
    assert found is not None
    assert found.unmatched == 0
    lds, vector = found.memory[C.LDS], found.memory[C.VMEM]
    assert lds.until_wait_ends.count == 1536  # every LDS instruction is waited for
    assert vector.until_wait_ends.count == 128  # every load, no store
    assert lds.exposed is not None
    assert (lds.exposed.count, lds.exposed.smallest, lds.exposed.largest) == (172, 56, 116)
    assert lds.exposed.mean == pytest.approx(65.6, abs=0.05)
    assert sum(memory.stall for memory in found.memory.values()) == 27620 - 48 * 4
