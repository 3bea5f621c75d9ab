"""Rooflines of made-up runs whose work, time and ceilings are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

import pytest

from rocm_perf_lab.analysis.kernels.launch_groups import group_launches
from rocm_perf_lab.analysis.rooflines.launches import counted_launches
from rocm_perf_lab.analysis.rooflines.roofline import (
    CACHED,
    SERIALISED,
    KernelRoofline,
    roofline,
    roofline_point,
)
from rocm_perf_lab.analysis.rooflines.roofs import GIVEN, MEASURED, THEORETICAL, Roofs, roofs_of
from rocm_perf_lab.arch.device import device_facts
from rocm_perf_lab.arch.target import load_target
from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.measured_roofs import MeasuredRoofs
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Agent, Kernel, Process, Trace

FACTS = device_facts("gfx942", {"product_name": "AMD Instinct MI300X", "cu_count": 304})
TARGET = load_target("gfx942")
ROOFS = roofs_of(FACTS)

NO_FLOPS = {
    f"SQ_INSTS_VALU_{operation}_{kind}": 0.0
    for operation in ("ADD", "MUL", "TRANS", "FMA")
    for kind in ("F16", "F32", "F64")
} | {f"SQ_INSTS_VALU_MFMA_MOPS_{kind}": 0.0 for kind in ("F16", "BF16", "F32", "F64", "F8")}
NO_BYTES = {
    f"TCC_{name}": 0.0
    for name in ("EA0_RDREQ", "EA0_RDREQ_32B", "BUBBLE", "EA0_WRREQ", "EA0_WRREQ_64B")
}


def run(
    pid: int,
    launches: Sequence[tuple[str, int, int]],  # kernel, grid, duration
    counters: Optional[Mapping[str, float]] = None,
    per_iteration: Sequence[Mapping[str, float]] = (),
) -> Trace:
    builder = TraceBuilder(Process(f"guid-{pid}", pid, None, None, f"run {pid}"))
    builder.add_agent(Agent(0, 4, "GPU", "gfx942", "AMD Instinct MI300X", 0))
    start = 1000 * pid
    for number, (name, grid, duration) in enumerate(launches):
        row = builder.add_dispatch(
            start=start,
            end=start + duration,
            kernel=builder.add_kernel(Kernel(0, len(name), name, None)),
            agent_id=4,
            dispatch_id=number + 1,
            grid=(grid, 1, 1),
            block=(64, 1, 1),
        )
        start += duration
        assert row is not None
        values = per_iteration[number] if per_iteration else counters or {}
        for counter, value in values.items():
            builder.add_counter(row, counter, value)
    return builder.build()


def points(*traces: Trace, roofs: Roofs = ROOFS) -> tuple[KernelRoofline, ...]:
    return roofline(merge(traces, "test"), TARGET, roofs)


def copy_counters(requests: float) -> dict[str, float]:
    return {**NO_FLOPS, **NO_BYTES, "TCC_EA0_RDREQ": requests}


def test_one_launch_and_a_hundred_give_the_same_rates() -> None:
    counters = {**copy_counters(1000), "SQ_INSTS_VALU_FMA_F32": 500.0}
    (one,) = points(run(1, [("k", 64, 700)]), run(2, [("k", 64, 9000)], counters))
    (many,) = points(run(1, [("k", 64, 700)] * 100), run(2, [("k", 64, 9000)] * 100, counters))
    assert one.flop_rate == pytest.approx(500 * 128 / 700e-9)
    assert one.byte_rate == pytest.approx(64000 / 700e-9)
    assert (many.flop_rate, many.byte_rate) == pytest.approx((one.flop_rate, one.byte_rate))
    assert (one.launches, many.launches) == (1, 100)


def test_durations_come_from_the_run_without_counters() -> None:
    (point,) = points(run(1, [("k", 64, 100)]), run(2, [("k", 64, 5000)], copy_counters(10)))
    assert point.mean_ns == 100
    assert SERIALISED not in point.caveats


def test_times_of_counter_passes_alone_are_said_to_be_too_long() -> None:
    (point,) = points(run(2, [("k", 64, 5000)], copy_counters(10)))
    assert point.mean_ns == 5000
    assert SERIALISED in point.caveats


def test_counters_of_several_passes_come_together() -> None:
    reads = dict.fromkeys(("TCC_EA0_RDREQ", "TCC_EA0_RDREQ_32B", "TCC_BUBBLE"), 8.0)
    writes = dict.fromkeys(("TCC_EA0_WRREQ", "TCC_EA0_WRREQ_64B"), 4.0)
    launches = [("k", 64, 100)]
    (point,) = points(run(1, launches), run(2, launches, reads), run(3, launches, writes))
    assert point.traffic[0].read == 8 * 128 + 8 * 32
    assert point.traffic[0].written == 4 * 64


def test_two_kernels_are_two_points() -> None:
    counted = run(
        2,
        [("a", 64, 500), ("b", 64, 500)],
        per_iteration=[copy_counters(10), copy_counters(30)],
    )
    first, second = points(run(1, [("a", 64, 100), ("b", 64, 200)]), counted)
    assert (first.kernel, second.kernel) == ("b", "a")
    assert (first.traffic[0].total, second.traffic[0].total) == (30 * 64, 10 * 64)


def test_shapes_of_one_kernel_are_weighted_by_their_launches() -> None:
    timed = run(1, [("k", 64, 100), ("k", 64, 100), ("k", 128, 400)])
    counted = run(
        2, [("k", 64, 9), ("k", 128, 9)], per_iteration=[copy_counters(3), copy_counters(12)]
    )
    (point,) = points(timed, counted)
    assert point.traffic[0].total == pytest.approx(64 * (3 + 3 + 12) / 3)
    assert point.mean_ns == pytest.approx(200)
    assert point.coverage == 1.0


def test_a_shape_without_counters_is_left_out_and_the_coverage_says_so() -> None:
    timed = run(1, [("k", 64, 100), ("k", 128, 300)])
    (point,) = points(timed, run(2, [("k", 64, 9)], copy_counters(3)))
    assert (point.launches, point.mean_ns, point.coverage) == (1, 100, 0.25)


def test_a_kernel_without_counters_is_unknown_not_zero() -> None:
    (point,) = points(run(1, [("k", 64, 100)]))
    assert point.flops.total is None
    assert point.traffic[0].total is None
    assert (point.flop_rate, point.byte_rate, point.bound, point.binding) == (None,) * 4
    assert point.coverage == 0.0
    assert "TCC_BUBBLE" in point.reasons["fabric"]
    assert "SQ_INSTS_VALU_FMA_F32" in point.reasons["flops"]


def test_dispatches_are_matched_by_iteration() -> None:
    trace = merge(
        [
            run(1, [("k", 64, 100), ("k", 64, 200)]),
            run(2, [("k", 64, 9), ("k", 64, 9)], per_iteration=[{"SQ_A": 1.0}, {"SQ_A": 2.0}]),
            run(3, [("k", 64, 9), ("k", 64, 9)], per_iteration=[{"SQ_B": 5.0}, {"SQ_B": 6.0}]),
        ],
        "test",
    )
    grouping = group_launches(trace)
    (group,) = grouping.groups
    first, second = counted_launches(trace, grouping)
    assert (first.duration_ns, dict(first.counters)) == (100, {"SQ_A": 1.0, "SQ_B": 5.0})
    assert (second.duration_ns, dict(second.counters)) == (200, {"SQ_A": 2.0, "SQ_B": 6.0})
    assert (group.counted, dict(group.counters)) == (4, {"SQ_A": 1.5, "SQ_B": 5.5})


def test_bound_flips_at_the_ridge() -> None:
    counters = {**copy_counters(1e6), "SQ_INSTS_VALU_MFMA_MOPS_F16": 1.0}
    ridge = roofline_point("k", counters, 1e6, TARGET, ROOFS).ridge
    assert ridge == pytest.approx(1307.4e12 / 5300e9, rel=1e-3)
    mops = ridge * 64e6 / 512
    below = {**counters, "SQ_INSTS_VALU_MFMA_MOPS_F16": 0.99 * mops}
    above = {**counters, "SQ_INSTS_VALU_MFMA_MOPS_F16": 1.01 * mops}
    assert roofline_point("k", below, 1e6, TARGET, ROOFS).bound == "memory"
    point = roofline_point("k", above, 1e6, TARGET, ROOFS)
    assert point.bound == "compute"
    assert point.binding is not None
    assert point.binding.name == "matrix.fp16"
    assert point.arithmetic_intensity == pytest.approx(1.01 * ridge)


def test_at_the_roof_is_fact_and_above_it_suspect() -> None:
    nanoseconds = 64e6 / 5300e9 * 1e9
    roofs = Roofs({"hbm": ROOFS.bandwidth["hbm"]}, ROOFS.rate)
    at = roofline_point("k", copy_counters(1e6), nanoseconds * 1.0001, TARGET, roofs)
    over = roofline_point("k", copy_counters(1e6), nanoseconds * 0.99, TARGET, roofs)
    assert (at.suspect, over.suspect) == (False, True)
    assert "suspect: 101% of the roof of hbm" in over.caveats


def test_faster_than_hbm_is_possible_with_infinity_cache() -> None:
    point = roofline_point("k", copy_counters(1e6), 64e6 / 9000e9 * 1e9, TARGET, ROOFS)
    assert point.binding is not None
    assert point.binding.name == "infinity_cache"
    assert not point.suspect
    assert CACHED in point.caveats


def test_zero_duration_gives_no_rates() -> None:
    point = roofline_point("k", copy_counters(10), 0.0, TARGET, ROOFS)
    assert (point.byte_rate, point.ceilings) == (None, ())
    assert point.reasons["rates"] == "the launches have no duration"


def test_an_empty_trace_has_no_points() -> None:
    assert points(run(1, [])) == ()


def test_roofs_from_facts() -> None:
    assert ROOFS.bandwidth["hbm"].value == 5300e9
    assert ROOFS.bandwidth["lds"].value == pytest.approx(81.7e12, rel=1e-3)
    assert ROOFS.rate["matrix", "bf16"].value == pytest.approx(1307.4e12, rel=1e-4)
    assert ROOFS.rate["vector", "fp64"].value == pytest.approx(81.7e12, rel=1e-3)
    assert {roof.source for roof in ROOFS.rate.values()} == {THEORETICAL}


def test_the_user_overrides_bandwidth_and_clock() -> None:
    roofs = roofs_of(FACTS, bandwidth_gbps=1000.0, clock_mhz=1050.0)
    assert (roofs.bandwidth["hbm"].value, roofs.bandwidth["hbm"].source) == (1000e9, GIVEN)
    assert roofs.rate["vector", "fp32"].value == ROOFS.rate["vector", "fp32"].value / 2
    assert roofs.bandwidth["l2"].value == ROOFS.bandwidth["l2"].value / 2


def test_what_was_measured_at_one_clock_says_nothing_about_another() -> None:
    measured = MeasuredRoofs(0, {"hbm": 4244e9, "l2": 20e12}, {("matrix", "fp16"): 400e12}, "roofs")
    assert roofs_of(FACTS, measured).rate["matrix", "fp16"].source == MEASURED
    assert roofs_of(FACTS, measured, clock_mhz=1050.0) == roofs_of(FACTS, clock_mhz=1050.0)


def test_measured_roofs_replace_what_they_can_be() -> None:
    measured = MeasuredRoofs(
        0,
        {"hbm": 4244e9},
        {("vector", "fp64"): 104.6e12, ("matrix", "fp16"): 916e12, ("matrix", "bf16"): 516e12},
        "roofline.csv",
    )
    roofs = roofs_of(FACTS, measured)
    assert (roofs.bandwidth["hbm"].value, roofs.bandwidth["hbm"].source) == (4244e9, MEASURED)
    assert roofs.rate["vector", "fp64"] == ROOFS.rate["vector", "fp64"]
    assert roofs.rate["matrix", "bf16"].value == 916e12  # the hardware runs both at one rate
    assert len(roofs.notes) == 1
    assert "vector fp64" in roofs.notes[0]
