"""Verdicts: both sides of every threshold, the same numbers the same answer, and never surer
when a number is missing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.analysis.kernels.collectives import is_collective
from rocm_perf_lab.analysis.verdicts.bottleneck import judge, judge_metrics
from rocm_perf_lab.analysis.verdicts.compute_unit import ComputeUnit
from rocm_perf_lab.analysis.verdicts.formulas import FLOPS, KernelFacts
from rocm_perf_lab.analysis.verdicts.metrics import METRICS, evaluate_metrics
from rocm_perf_lab.analysis.verdicts.rules import (
    ATOMIC,
    COLLECTIVE,
    COMPUTE,
    DIVERGENCE,
    IMBALANCE,
    LABELS,
    LATENCY,
    LAUNCH,
    LDS,
    MEMORY_BANDWIDTH,
    RULES,
    UNDER_OCCUPIED,
    Condition,
    Rule,
)

# A kernel with everything known and nothing wrong: no rule but the weak ones holds.
CALM = {
    "launch_share": 0.0,
    "launch_floor": 0.01,
    "cus_busy": 0.9,
    "round_fill": 0.9,
    "waves": 10_000.0,
    "mean_time": 100.0,
    "memory_reached": 0.1,
    "compute_reached": 0.1,
    "matrix_busy": 0.0,
    "vector_busy": 0.1,
    "lanes_active": 1.0,
    "lane_fill": 1.0,
    "lds_busy": 0.0,
    "lds_conflicts": 0.0,
    "wait_share": 0.1,
    "occupancy": 0.8,
    "occupancy_limit": 1.0,
    "workgroups_per_cu": 10.0,
    "atomic_share": 0.0,
    "one_address": 0.0,
    "requests_per_access": 4.0,
    "l2_hits": 0.5,
    "trace_waits": 0.1,
}
metrics = st.fixed_dictionaries(
    {},
    optional={
        name: st.floats(0, 50) if METRICS[name].unit != "share" else st.floats(0, 1)
        for name in CALM
    },
)


def _inside(condition: Condition) -> float:
    return math.nextafter(condition.threshold, 0) if condition.below else condition.threshold


def _outside(condition: Condition) -> float:
    return condition.threshold if condition.below else math.nextafter(condition.threshold, 0)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.label}: {rule.because[:30]}")
def test_both_sides_of_every_threshold(rule: Rule) -> None:
    known = {condition.metric: _inside(condition) for condition in rule.conditions}
    verdict = judge_metrics(known)
    assert (verdict.label, verdict.because) == (rule.label, rule.because)
    assert {(e.name, e.threshold, e.holds) for e in verdict.evidence} >= {
        (c.metric, c.threshold, True) for c in rule.conditions
    }
    for condition in rule.conditions:
        other = judge_metrics({**known, condition.metric: _outside(condition)})
        assert other.because != rule.because


@pytest.mark.parametrize(("per_cu", "is_small"), [(0.7, True), (0.74, True), (0.76, False)])
def test_a_grid_is_small_below_three_workgroups_for_four_compute_units(
    per_cu: float, is_small: bool
) -> None:
    """In numbers of their own: the thresholds above are taken from the table itself."""
    verdict = judge_metrics({**CALM, "workgroups_per_cu": per_cu})
    assert (verdict.label == UNDER_OCCUPIED) is is_small


@pytest.mark.parametrize(
    ("label", "changed"),
    [
        (LAUNCH, {"launch_share": 0.7, "mean_time": 4.0}),
        (MEMORY_BANDWIDTH, {"memory_reached": 0.8, "wait_share": 0.9}),
        (COMPUTE, {"matrix_busy": 0.8, "occupancy_limit": 0.125}),
        (COMPUTE, {"vector_busy": 0.9}),
        (COMPUTE, {"compute_reached": 0.7}),
        (DIVERGENCE, {"vector_busy": 0.9, "lanes_active": 0.5}),
        (LDS, {"lds_busy": 0.7}),
        (LDS, {"lds_busy": 0.4, "lds_conflicts": 0.9, "wait_share": 0.8}),
        (ATOMIC, {"atomic_share": 0.9, "wait_share": 0.9, "workgroups_per_cu": 0.1}),
        (ATOMIC, {"one_address": 0.9, "wait_share": 0.9, "workgroups_per_cu": 0.1}),
        (LATENCY, {"one_address": 0.4, "wait_share": 0.9}),
        (UNDER_OCCUPIED, {"workgroups_per_cu": 0.05, "wait_share": 0.9}),
        (UNDER_OCCUPIED, {"occupancy_limit": 0.125, "wait_share": 0.9}),
        (LAUNCH, {"launch_floor": 0.6, "workgroups_per_cu": 0.2, "wait_share": 0.9}),
        (COLLECTIVE, {"collective": 1.0, "workgroups_per_cu": 0.1, "launch_floor": 0.6}),
        (IMBALANCE, {"cus_busy": 0.1, "wait_share": 0.9}),
        (IMBALANCE, {"cus_busy": 0.55, "round_fill": 0.5, "wait_share": 0.9}),
        (LATENCY, {"cus_busy": 0.55, "wait_share": 0.9}),
        (LATENCY, {"cus_busy": 0.1, "mean_time": 5.0, "wait_share": 0.9}),
        (UNDER_OCCUPIED, {"cus_busy": 0.1, "workgroups_per_cu": 0.1}),
        (LATENCY, {"waves": 1.0, "workgroups_per_cu": 0.003, "cus_busy": 0.003, "wait_share": 0.9}),
        (UNDER_OCCUPIED, {"waves": 1.0, "workgroups_per_cu": 0.003, "wait_share": 0.1}),
        (LATENCY, {"wait_share": 0.9}),
        (LATENCY, {}),
    ],
)
def test_the_label_of_a_kernel_with_one_trouble(label: str, changed: dict[str, float]) -> None:
    verdict = judge_metrics({**CALM, **changed})
    assert verdict.label == label
    assert verdict.missing == ()
    assert verdict.runner_up != label


def test_the_table_is_in_order() -> None:
    strengths = [rule.strength for rule in RULES]
    assert strengths == sorted(strengths, reverse=True)
    assert {rule.label for rule in RULES} == set(LABELS)
    assert {c.metric for rule in RULES for c in rule.conditions} <= set(METRICS)


@settings(deadline=None)
@given(metrics)
def test_a_verdict_names_its_numbers(known: dict[str, float]) -> None:
    verdict = judge_metrics(known)
    assert verdict == judge_metrics(dict(reversed(known.items())))
    assert verdict.label in (None, *LABELS)
    assert 0 <= verdict.confidence <= 1
    assert (verdict.label is None) == (verdict.confidence == 0)
    for item in verdict.evidence:
        assert item.value == known[item.name]
        assert item.holds == ((item.value < item.threshold) == item.below)
    assert not set(verdict.missing) & set(known)
    assert bool(verdict.missing) == bool(verdict.cures)


@settings(deadline=None)
@given(metrics, st.sampled_from(sorted(CALM)))
def test_a_missing_number_never_makes_it_surer(known: dict[str, float], dropped: str) -> None:
    less = {name: value for name, value in known.items() if name != dropped}
    assert judge_metrics(less).confidence <= judge_metrics(known).confidence


def test_every_missing_number_costs() -> None:
    trouble = {**CALM, "memory_reached": 0.9}
    sure = judge_metrics(trouble).confidence
    assert sure == 0.9
    for name in judge_metrics({"memory_reached": 0.9}).missing:
        less = {key: value for key, value in trouble.items() if key != name}
        assert judge_metrics(less).confidence == pytest.approx(0.9 * sure)


def test_a_close_call_is_less_sure() -> None:
    near = judge_metrics({**CALM, "memory_reached": 0.61})
    far = judge_metrics({**CALM, "memory_reached": 0.9})
    assert near.label == far.label == MEMORY_BANDWIDTH
    assert near.confidence < far.confidence


def test_without_any_number_there_is_no_label() -> None:
    verdict = judge(KernelFacts("k"))
    assert (verdict.label, verdict.confidence, verdict.evidence) == (None, 0.0, ())
    assert "wait_share" in verdict.missing


def test_without_counters_the_launch_still_says_something() -> None:
    verdict = judge(KernelFacts("k", workgroups=8, cu_count=304, mean_ns=5e4))
    assert verdict.label == UNDER_OCCUPIED
    assert verdict.confidence < 0.5


def counted(**changed: float) -> KernelFacts:
    counters = {
        "GRBM_GUI_ACTIVE": 8000.0,  # 1000 cycles on each of 8 XCCs
        "SQ_ACTIVE_INST_VALU": 100.0,
        "SQ_THREAD_CYCLES_VALU": 3200.0,
        "SQ_VALU_MFMA_BUSY_CYCLES": 2000.0,
        "SQ_LDS_IDX_ACTIVE": 500.0,
        "SQ_LDS_BANK_CONFLICT": 100.0,
        "SQ_BUSY_CU_CYCLES": 900.0,
        "SQ_WAIT_ANY": 60.0,
        "SQ_WAVE_CYCLES": 80.0,
        "TCC_ATOMIC_sum": 5.0,
        "TCC_REQ_sum": 50.0,
        "TCC_HIT_sum": 30.0,
        "TCC_MISS_sum": 10.0,
        "TCP_TCC_READ_REQ_sum": 16.0,
        "TCP_TCC_WRITE_REQ_sum": 8.0,
        "TA_TOTAL_WAVEFRONTS_sum": 6.0,
        "TCP_TOTAL_CACHE_ACCESSES_sum": 36.0,
        "SQ_INSTS_LDS": 4.0,
        "SQ_INSTS_VALU": 100.0,
        **dict.fromkeys(FLOPS, 1.0),
        "SQ_INSTS_VALU_FMA_F32": 38.0,
        **changed,
    }
    return KernelFacts(
        "k",
        target="gfx942",
        mean_ns=1e6,
        workgroups=4,
        workgroup_size=96,
        wave_size=64,
        cu_count=2,
        xcc_count=8,
        compute_unit=ComputeUnit(simds=4, slots_per_simd=8),
        counters=counters,
    )


def test_the_formulas() -> None:
    assert evaluate_metrics(counted()) == {
        "mean_time": 1000.0,
        "matrix_busy": 2000 / (4 * 2000),
        "vector_busy": 100 / 2000,
        "lanes_active": 32 / 64,
        "lane_fill": 0.75,
        "lds_busy": 500 / 2000,
        "lds_conflicts": 0.2,
        "wait_share": 0.75,
        "cus_busy": 900 / 2000,
        "occupancy": 4 * 80 / (2000 * 32),
        "workgroups_per_cu": 2.0,
        "waves": 8.0,
        "atomic_share": 0.1,
        "requests_per_access": 4.0,
        "lines_per_access": 6.0,
        "l1_hits": 0.0,
        "accesses_per_wave": 0.75,
        "l1_busy": 36 / 2000,
        "accesses_per_instruction": 6 / 100,
        "flop_share": 49 / 100,
        "special_share": 3 / 100,
        "double_share": 4 / 100,
        "operands_per_fma": (6 + 4) / 40,
        "l2_hits": 0.75,
    }


def test_there_are_no_more_cycles_than_the_time_has() -> None:
    """A counter pass can be active long before and after its kernel."""
    long_pass = replace(counted(), max_clock_mhz=2000.0)  # 2,000,000 in the 1 ms that it takes
    assert evaluate_metrics(long_pass)["cus_busy"] == 900 / 2000
    short = replace(long_pass, mean_ns=250.0)  # 500 cycles
    assert evaluate_metrics(short)["cus_busy"] == 900 / 1000


def test_compute_is_reached_by_pipes_and_not_by_memory() -> None:
    facts = replace(counted(), reached={"hbm": 0.9, "vector.fp32": 0.2, "matrix.fp16": 0.4})
    assert evaluate_metrics(facts)["compute_reached"] == 0.4
    measured = replace(facts, measured=frozenset({"matrix.fp16"}))
    assert evaluate_metrics(measured)["compute_reached"] == 0.2
    assert evaluate_metrics(measured)["compute_of_measured"] == 0.4
    without = replace(counted(), reached={"hbm": 0.9})
    assert "compute_reached" not in evaluate_metrics(without)
    idle = evaluate_metrics(replace(without, makes_no_flops=True))
    assert idle["compute_reached"] == 0.0
    assert "compute_of_measured" not in idle


@pytest.mark.parametrize(("turn_ns", "share"), [(5e5, 0.5), (1.2e6, 1.0), (1.4e6, 0.0)])
def test_atomics_are_compared_with_what_one_address_takes(turn_ns: float, share: float) -> None:
    """One atomic in a kernel of a millisecond; far more than one address takes are on many."""
    facts = replace(counted(TCC_ATOMIC_sum=1.0), atomic_turn_ns=turn_ns)
    assert evaluate_metrics(facts)["one_address"] == pytest.approx(share)


def test_a_launch_begins_and_ends_on_an_idle_device() -> None:
    """What launching takes is not counted against the balance of the work."""
    facts = replace(counted(), launch_floor_ns=4e5)
    known = evaluate_metrics(facts)
    assert known["launch_floor"] == 0.4
    assert known["cus_busy"] == pytest.approx(900 / (2000 * 0.6))
    assert "cus_busy" not in evaluate_metrics(replace(facts, launch_floor_ns=2e6))
    assert "launch_floor" not in evaluate_metrics(counted())


@pytest.mark.parametrize(
    ("workgroups", "fill"),
    [(1, 1.0), (2, 1.0), (3, 0.75), (8, 1.0), (9, 9 / 16), (16, 1.0), (81, 81 / 88)],
)
def test_a_round_that_is_begun_counts_whole(workgroups: int, fill: float) -> None:
    """Two compute units with 32 wave slots; 4 workgroups of 2 waves fill a quarter of them."""
    facts = replace(counted(), workgroups=workgroups, theoretical_occupancy=0.25)
    assert evaluate_metrics(facts)["round_fill"] == pytest.approx(fill)


def test_a_measured_roof_has_its_own_threshold() -> None:
    reached = {"hbm": 0.7, "vector.fp32": 0.3}
    computed = judge(KernelFacts("k", reached=reached))
    assert (computed.label, computed.metrics["memory_reached"]) == (MEMORY_BANDWIDTH, 0.7)
    assert "memory_of_measured" not in {*computed.missing, *computed.metrics}
    assert "memory_reached" in judge(KernelFacts("k")).missing
    measured = KernelFacts("k", reached=reached, measured=frozenset({"hbm", "vector.fp32"}))
    assert judge(measured).label is None
    assert "memory_reached" not in judge(measured).missing
    near = judge(replace(measured, reached={"hbm": 0.86}))
    assert near.label == MEMORY_BANDWIDTH
    fast = judge(replace(measured, reached={"hbm": 0.2, "vector.fp32": 0.86}))
    assert fast.label == COMPUTE


@pytest.mark.parametrize(
    ("changed", "name", "value"),
    [
        ({"SQ_WAIT_ANY": 523.2}, "wait_share", 6.54),
        ({"SQ_LDS_BANK_CONFLICT": 550.0}, "lds_conflicts", 1.1),
    ],
)
def test_a_value_that_cannot_be_decides_nothing(
    changed: dict[str, float], name: str, value: float
) -> None:
    verdict = judge(counted(**changed))
    assert dict(verdict.suspect) == {name: pytest.approx(value)}
    assert name in verdict.missing
    assert name not in {item.name for item in verdict.evidence}


def test_a_kernel_of_no_time_is_suspect() -> None:
    verdict = judge(KernelFacts("k", mean_ns=0.0, launch_share=0.9))
    assert (verdict.label, dict(verdict.suspect)) == (None, {"mean_time": 0.0})


@pytest.mark.parametrize("value", [0.55, 0.594, 0.606, 0.65])
def test_near_a_threshold_both_candidates_are_named(value: float) -> None:
    verdict = judge_metrics({**CALM, "memory_reached": value, "wait_share": 0.9})
    assert {verdict.label, verdict.runner_up} == {MEMORY_BANDWIDTH, LATENCY}
    assert verdict.label == (MEMORY_BANDWIDTH if value >= 0.6 else LATENCY)
    assert verdict.close_call


@pytest.mark.parametrize("value", [0.3, 0.8])
def test_far_from_every_threshold_it_is_no_close_call(value: float) -> None:
    assert not judge_metrics({**CALM, "memory_reached": value, "wait_share": 0.9}).close_call


@pytest.mark.parametrize(
    ("kernel", "collective"),
    [
        ("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", True),
        ("rcclGenericKernel", True),
        ("mscclKernel_Sum_half_LL(mscclDevComm*)", True),
        ("my_kernel", False),
        ("cancclation", False),
    ],
)
def test_collectives_are_known_by_their_name(kernel: str, collective: bool) -> None:
    assert is_collective(kernel) is collective
    assert (judge(KernelFacts(kernel, is_collective=collective)).label == COLLECTIVE) is collective


def test_nothing_of_nothing_is_nothing() -> None:
    idle = dict.fromkeys(("SQ_LDS_IDX_ACTIVE", "SQ_LDS_BANK_CONFLICT"), 0.0)
    known = evaluate_metrics(counted(**idle))
    assert (known["lds_busy"], known["lds_conflicts"]) == (0, 0)
    assert "vector_busy" not in evaluate_metrics(counted(GRBM_GUI_ACTIVE=0.0))


def test_counters_of_another_family_are_not_read_by_these_formulas() -> None:
    facts = KernelFacts("k", target="gfx1100", counters=counted().counters, cu_count=2, xcc_count=1)
    assert evaluate_metrics(facts) == {}
