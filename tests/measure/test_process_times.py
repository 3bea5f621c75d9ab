"""What one process took: its kernels in the order of their starts, and the whole of it."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from rocm_perf_lab.measure.process_times import process_times
from rocm_perf_lab.trace.model import (
    UNKNOWN,
    Agent,
    Copies,
    Counters,
    Dispatches,
    Kernel,
    Process,
    Trace,
)


def trace(**more: object) -> Trace:
    """Dispatches as a recording may hold them: the last one first."""
    agent = Agent(0, 7, "GPU", "gfx942", "AMD Instinct MI300X", 0, {"cu_count": 304})
    columns = {
        "start": [500, 300, 100],
        "end": [530, 320, 110],
        "kernel": [0, 1, 0],
        "agent": [0, 0, 0],
        "process": [0, 0, 0],
        "dispatch_id": [3, 2, 1],
    }
    rows = {name: np.array(values) for name, values in columns.items()}
    settings = {
        "source": "test",
        "processes": (Process("guid", 1, "./app", "somewhere", "a.db"),),
        "agents": (agent,),
        "kernels": (Kernel(0, 1, "f", None), Kernel(0, 2, "g", None)),
        "dispatches": Dispatches(**rows),
        **more,
    }
    return Trace(**settings)  # type: ignore[arg-type]


def test_times_are_in_the_order_of_the_starts() -> None:
    times = process_times(trace())
    assert times.kernels == {"f": (10, 30), "g": (20,)}
    assert times.kernel_sum_ns == 60
    assert times.critical_path_ns == 430


def test_copies_are_part_of_the_whole() -> None:
    copies = Copies(
        start=np.array([50]),
        end=np.array([90]),
        process=np.array([0], dtype=np.int32),
    )
    assert process_times(trace(copies=copies)).critical_path_ns == 480


def test_the_machine_is_the_one_that_ran_it() -> None:
    machine = process_times(trace()).machine
    assert machine.host == "somewhere"
    assert machine.device is not None
    assert (machine.device.target, machine.device.cu_count) == ("gfx942", 304)
    assert not machine.virtual


def test_what_only_counted_has_times_all_the_same_and_no_path() -> None:
    counters = Counters(
        dispatch=np.array([0], dtype=np.int32),
        name=np.array([0], dtype=np.int32),
        value=np.array([1.0]),
    )
    times = process_times(trace(counters=counters, strings=("SQ_WAVES",)))
    assert times.critical_path_ns is None, "a counter pass runs kernels one after the other"


def test_an_unknown_device_is_none() -> None:
    unknown = replace(trace().dispatches, agent=np.full(3, UNKNOWN, dtype=np.int32))
    assert process_times(trace(dispatches=unknown)).machine.device is None
