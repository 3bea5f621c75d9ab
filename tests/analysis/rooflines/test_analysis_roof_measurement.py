"""From launches of the roof benchmark to roofs: pairing, best times, differences, footprints."""

from __future__ import annotations

import numpy as np
import pytest

from rocm_perf_lab.analysis.rooflines.measurement import (
    benchmark_arguments,
    footprints,
    measured_roofs,
    roof_names,
)
from rocm_perf_lab.arch.device import device_facts
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.measured_roofs import Fingerprint
from rocm_perf_lab.trace.model import Agent, Dispatches, Kernel, Trace

MI300X = device_facts("gfx942", {"product_name": "AMD Instinct MI300X"})
FACTS = {"cu_count": 304, "num_xcc": 8, "max_engine_clk_fcompute": 2100}
READ, FILL = 0, 1


def trace_of(*launches: tuple[int, int]) -> Trace:
    """Launches as (kernel, nanoseconds), recorded in the reverse of their launch order."""
    rows = len(launches)
    kernel = np.array([kernel for kernel, _ in launches], dtype=np.int32)[::-1]
    taken = np.array([taken for _, taken in launches], dtype=np.int64)[::-1]
    empty = Trace(source="test")
    columns = {name: getattr(empty.dispatches, name) for name in Dispatches.__struct_fields__}
    filled = {
        name: np.zeros((rows, *column.shape[1:]), dtype=column.dtype)
        for name, column in columns.items()
    }
    filled.update(kernel=kernel, end=taken, dispatch_id=np.arange(rows, 0, -1, dtype=np.int64))
    return Trace(
        source="test",
        agents=(Agent(0, 4, "GPU", "gfx942", "AMD Instinct MI300X", 0, FACTS),),
        kernels=(
            Kernel(0, 1, "read_memory(...)", "_Z11read_memoryPKDv4_jjjjPS_.kd"),
            Kernel(0, 2, "fill", "__amd_rocclr_fillBufferAligned.kd"),
        ),
        dispatches=Dispatches(**filled),
    )


def test_the_rate_is_the_difference_of_two_lengths() -> None:
    # 1000 ns to start, then 4 bytes per ns; fills of the driver are not ours
    trace = trace_of((FILL, 5), (READ, 2000), (READ, 3000), (FILL, 7), (READ, 5000), (READ, 5300))
    work = [("hbm", 4000.0), ("hbm", 8000.0), ("hbm", 16000.0), ("hbm", 16000.0)]
    roofs = measured_roofs(work, trace)
    assert roofs.bandwidth == {"hbm": pytest.approx(4e9)}
    assert roofs.device == 4
    assert roofs.made_on == Fingerprint("gfx942", "AMD Instinct MI300X", 304, 8, 2100)


def test_pipes_are_rates() -> None:
    roofs = measured_roofs([("matrix.bf16", 1e6), ("matrix.bf16", 3e6)], trace_of((0, 10), (0, 20)))
    assert roofs.rate == {("matrix", "bf16"): pytest.approx(2e14)}
    assert roofs.bandwidth == {}


def test_a_longer_launch_that_took_no_longer_measures_nothing() -> None:
    roofs = measured_roofs([("l2", 1.0), ("l2", 2.0)], trace_of((READ, 10), (READ, 10)))
    assert roofs.bandwidth == {}


def test_a_lost_launch_is_noticed() -> None:
    with pytest.raises(RecordingError, match="launched 2 kernels, but 1 were recorded"):
        measured_roofs([("l2", 1.0), ("l2", 2.0)], trace_of((READ, 10)))


def test_footprints_fit_their_level_and_no_nearer_one() -> None:
    sizes = footprints(MI300X)
    assert sizes == {
        "lds": 65536,
        "l1": 16384,
        "l2": 2 << 20,
        "infinity_cache": 128 << 20,
        "hbm": 1 << 30,
    }


def test_only_what_the_device_has() -> None:
    names = roof_names(MI300X)
    assert {"hbm", "infinity_cache", "vector.fp64", "matrix.fp8"} <= set(names)
    older = roof_names(device_facts("gfx90a", {}))
    assert "matrix.fp8" not in older
    assert "infinity_cache" not in older
    assert benchmark_arguments(MI300X, ["l1", "vector.fp32"]) == ["l1=16384", "vector.fp32"]
