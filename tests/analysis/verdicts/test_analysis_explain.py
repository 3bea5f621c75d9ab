"""The explanation: what is said to limit an application, and which advice it gets."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

import pytest

from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.schemas.critical_path import (
    CriticalPathModel,
    IdleModel,
    KernelOnPathModel,
)
from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.measured import measured_kernel
from rocm_perf_lab.analysis.verdicts.bottleneck import judge
from rocm_perf_lab.analysis.verdicts.explain import leaves_cause_open
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.headroom import headroom_of
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.analysis.verdicts.rules import (
    IMBALANCE,
)
from rocm_perf_lab.analysis.verdicts.timing import Queues, Timing
from rocm_perf_lab.reporters.figures.explain import render_explanation
from rocm_perf_lab.strict_json import replace


def row(name: str, total_ns: int, share: float) -> schema.KernelRowModel:
    return schema.KernelRowModel(
        name=name,
        symbol=None,
        runtime_internal=False,
        dispatches=1,
        total_ns=total_ns,
        min_ns=total_ns,
        median_ns=float(total_ns),
        mean_ns=float(total_ns),
        max_ns=total_ns,
        cv=None,
        share=share,
        grid=None,
        block=None,
        launch_shapes=1,
        resources=None,
        occupancy=None,
    )


def path(
    kernels: dict[str, int], *, copy_ns: int = 0, slack: int = 0, **idle: int
) -> CriticalPathModel:
    times = {"launch_ns": 0, "host_ns": 0, "synchronisation_ns": 0, "dependency_ns": 0}
    span = sum(kernels.values()) + copy_ns + sum(idle.values())
    return CriticalPathModel(
        critical_path_ns=sum(kernels.values()) + copy_ns,
        dominant_symbol=None,
        fraction=0.0,
        span_fraction=0.0,
        ceiling=None,
        span_ns=span,
        kernel_ns=sum(kernels.values()),
        copy_ns=copy_ns,
        idle=IdleModel(**{**times, "unknown_ns": 0, **idle}),
        bound="kernel",
        run=0,
        runs=1,
        pid=None,
        processes=1,
        confidence=1.0,
        dependencies=[],
        plan=[],
        kernels=[
            KernelOnPathModel(
                name=name,
                runtime_internal=False,
                path_ns=ns,
                fraction=ns / span,
                ceiling=None,
                dispatches=1,
                dispatches_on_path=1,
                least_slack_ns=0 if ns else slack,
            )
            for name, ns in kernels.items()
        ],
        gaps=[],
        gap_count=0,
        what_if=[],
        notes=[],
    )


def profile(
    rows: list[schema.KernelRowModel], on_path: Optional[CriticalPathModel]
) -> schema.ProfileDocument:
    busy = sum(r.total_ns for r in rows) / 1e6
    return schema.ProfileDocument(
        schema_version="1.1",
        tool_version="0",
        command=["./app"],
        source=None,
        kernel=schema.KernelModel(name=rows[0].name, grid=None, block=None),
        gpu=None,
        device=None,
        runtime_ms=busy,
        stability=schema.StabilityModel(
            runs=1,
            mean_ms=busy,
            stddev_ms=None,
            cv=None,
            classification=None,
            samples_ms=[busy],
            quantity="kernel_time",
        ),
        resources=None,
        occupancy=None,
        roofline=None,
        critical_path=on_path,
        timing=schema.TimingModel(
            kernel_sum_ms=busy, gpu_busy_ms=busy, span_ms=2 * busy, wall_ms=None, run=0
        ),
        kernels=rows,
        warnings=[],
        unavailable=[],
    )


def verdict(of: schema.KernelRowModel, criticality: float, reached: float) -> KernelVerdict:
    facts = KernelFacts(of.name, mean_ns=of.mean_ns, reached={"hbm": reached})
    judged = judge(facts)
    return KernelVerdict(
        kernel=measured_kernel(of, facts),
        verdict=judged,
        headroom=headroom_of(facts.reached, judged.metrics),
        criticality=criticality,
    )


def test_a_kernel_that_limits() -> None:
    one = row("k", 80_000, 1.0)
    document = explanation_of(
        profile([one], path({"k": 80_000}, launch_ns=20_000)), [verdict(one, 0.8, 0.8)]
    )
    assert (document.limit, document.kernel) == ("kernel", "k")
    assert document.time.kernels == 0.8
    assert document.time.launching == 0.2
    assert document.gain is not None
    assert document.gain.kernel == pytest.approx(1.25)
    assert document.gain.application == pytest.approx(1 / (1 - 0.8 * 0.2))
    assert document.gain.ceiling == pytest.approx(5)


@pytest.mark.parametrize(
    ("around", "limit", "sentence"),
    [
        ({"copy_ns": 90_000}, "copies", "Copies between host and device limit the application"),
        ({"launch_ns": 90_000}, "launching", "Launching limits the application"),
        ({"host_ns": 50_000, "synchronisation_ns": 40_000}, "host", "The host limits"),
    ],
)
def test_what_is_no_kernel_comes_first(around: dict[str, int], limit: str, sentence: str) -> None:
    one = row("k", 60_000, 1.0)
    on_path = path({"k": 60_000}, **around)
    document = explanation_of(profile([one], on_path), [verdict(one, 0.4, 0.8)])
    assert document.limit == limit
    assert document.advice[0].why.endswith("of the critical path, kernels 40%")
    page = render_explanation(document)
    assert sentence in page
    assert page.splitlines()[-1].endswith("limits the application")


def test_gaps_that_nobody_explains_are_not_launching() -> None:
    one = row("k", 40_000, 1.0)
    alone = profile([one], None)
    document = explanation_of(alone, [verdict(one, 1.0, 0.1)])  # a span of twice the busy time
    assert document.limit == "kernel"
    timing = replace(alone.timing, span_ms=0.1)
    longer = replace(alone, timing=timing)
    document = explanation_of(longer, [verdict(one, 1.0, 0.1)])
    assert document.limit == "unexplained"
    assert document.advice[0].what.startswith("Record what the host does meanwhile")
    page = render_explanation(document)
    assert "For more than half of the time nothing was recorded that explains it." in page
    assert "60.0% of the time is unexplained" in page.splitlines()[-1]
    assert "launch bound" not in page


def test_the_gain_of_fusing_counts_launching_and_what_any_launch_takes() -> None:
    """100 launches of 2 us with 3 us between them; 1 us of each is what an empty one takes."""
    one = replace(row("k", 200_000, 1.0), dispatches=100, mean_ns=2_000.0)
    facts = KernelFacts("k", mean_ns=2_000.0, launch_floor_ns=1_000.0)
    found = KernelVerdict(measured_kernel(one, facts), judge(facts), None, 0.4)
    document = explanation_of(profile([one], path({"k": 200_000}, launch_ns=300_000)), [found])
    (fusing,) = [a for a in document.advice if a.what.startswith("Do more per launch")]
    assert fusing.gain == pytest.approx(100 * (2 + 3) / (100 * 1 + 1 + 3))
    assert "100 launches of 2.0 us, 50% of which any launch takes" in fusing.why


def test_less_is_expected_of_fusing_where_the_host_reads_results_in_between() -> None:
    """Launches before such a result and behind it cannot be one; what is promised stays."""
    one = replace(row("k", 200_000, 1.0), dispatches=100, mean_ns=2_000.0)
    facts = KernelFacts("k", mean_ns=2_000.0, launch_floor_ns=1_000.0)
    found = KernelVerdict(measured_kernel(one, facts), judge(facts), None, 0.4)
    of = profile([one], path({"k": 200_000}, launch_ns=300_000)), [found]
    fusing = [
        next(a for a in explanation_of(*of, queues=Queues(1, {}, reads)).advice if a.mend == "fuse")
        for reads in (0, 9, 49)
    ]
    none, some, many = (advice.expected for advice in fusing)
    assert none and some and many and none > some > many > 1.0
    assert len({advice.gain for advice in fusing}) == 1


def test_in_one_launch_results_may_stay_in_registers() -> None:
    """So that only its ceiling bounds the work: a tenth of the time, at 10 % of the bandwidth."""
    one = replace(row("k", 200_000, 1.0), dispatches=100, mean_ns=2_000.0)
    facts = KernelFacts("k", mean_ns=2_000.0, launch_floor_ns=1_000.0, reached={"hbm": 0.1})
    found = KernelVerdict(
        measured_kernel(one, facts), judge(facts), headroom_of(facts.reached, {}), 0.4
    )
    document = explanation_of(profile([one], path({"k": 200_000}, launch_ns=300_000)), [found])
    (fusing,) = [a for a in document.advice if a.what.startswith("Do more per launch")]
    assert fusing.gain == pytest.approx(100 * (2 + 3) / (100 * 0.2 + 1 + 3))


def test_fusing_takes_the_launches_of_other_kernels_along() -> None:
    """Ten launches each of two kernels of 2 us, half of it launching, 3 us apart."""
    rows = [
        replace(row(name, 20_000, 0.5), dispatches=10, mean_ns=2_000.0) for name in ("k", "other")
    ]
    found = []
    for one in rows:
        facts = KernelFacts(one.name, mean_ns=2_000.0, launch_floor_ns=1_000.0)
        found.append(KernelVerdict(measured_kernel(one, facts), judge(facts), None, 0.2))
    on_path = path({"k": 20_000, "other": 20_000}, launch_ns=60_000)
    document = explanation_of(profile(rows, on_path), found)
    (fusing,) = [a for a in document.advice if a.mend == "fuse"]
    assert fusing.gain == pytest.approx(20 * (2 + 3) / (20 * 1 + 1 + 3))


def test_where_launching_limits_the_kernel_that_is_launched_most_is_looked_at() -> None:
    """Its launches are why; on the path is only the last kernel, which nothing hides."""
    rows = [
        replace(row("step", 200_000, 0.99), dispatches=100, mean_ns=2_000.0),
        replace(row("last", 2_000, 0.01), dispatches=1, mean_ns=2_000.0),
    ]
    found = []
    for one, criticality in zip(rows, (0.0, 0.01)):
        facts = KernelFacts(
            one.name, mean_ns=2_000.0, launch_floor_ns=1_000.0, reached={"hbm": 0.1}
        )
        headroom = headroom_of(facts.reached, {})
        found.append(
            KernelVerdict(measured_kernel(one, facts), judge(facts), headroom, criticality)
        )
    document = explanation_of(
        profile(rows, path({"last": 2_000}, launch_ns=500_000)), list(reversed(found))
    )
    assert document.limit == "launching"
    assert document.kernel == "step"
    (fusing,) = [a for a in document.advice if a.mend == "fuse"]
    assert "100 launches of 2.0 us" in fusing.why
    assert not [note for note in document.notes if "more to gain" in note]


def test_kernels_of_one_queue_bound_what_the_host_could_gain() -> None:
    """As recorded on MI210: half of the path is the host's, and yet the GPU works 89 % of it."""
    one = row("k", 89_000, 1.0)
    on_path = path({"k": 52_000}, host_ns=48_000)
    of = profile([one], on_path), [verdict(one, 0.5, 0.8)]
    (capped,) = [a for a in explanation_of(*of, queues=Queues(1)).advice if a.mend == "host"]
    assert capped.gain == pytest.approx(100 / 89)
    for queues in (None, 2):  # kernels of several queues may run beside each other
        (free,) = [a for a in explanation_of(*of, queues=Queues(queues)).advice if a.mend == "host"]
        assert free.gain == pytest.approx(100 / 52)
    always_busy = profile([row("k", 100_000, 1.0)], on_path), [verdict(one, 0.5, 0.8)]
    assert "host" not in {a.mend for a in explanation_of(*always_busy, queues=Queues(1)).advice}


def test_the_last_line_says_when_its_gain_is_for_the_same_work() -> None:
    """A kernel at 80 % of a roof: to move fewer bytes may gain more than reaching the roof."""
    one = row("k", 80_000, 1.0)
    of = profile([one], path({"k": 80_000})), [verdict(one, 1.0, 0.8)]
    document = explanation_of(*of)
    assert document.gain is not None
    advice = replace(document.advice[0], gain=1.25)
    for gain, words in ((1.25, "end to end"), (1.4, "end to end for the same work")):
        given = [replace(advice, gain=gain)]
        page = render_explanation(replace(document, advice=given))
        assert page.splitlines()[-1].endswith(f"at most 1.25x {words}")


def test_the_gain_of_an_even_load_is_what_idle_units_leave() -> None:
    facts = KernelFacts(
        "k",
        target="gfx942",
        mean_ns=1e5,
        launch_floor_ns=1e4,
        workgroups=2,
        workgroup_size=64,
        wave_size=64,
        cu_count=2,
        xcc_count=1,
        counters={"GRBM_GUI_ACTIVE": 1000.0, "SQ_BUSY_CU_CYCLES": 450.0},
    )
    one = row("k", 100_000, 1.0)
    found = KernelVerdict(measured_kernel(one, facts), judge(facts), None, 1.0)
    assert found.verdict.label == IMBALANCE
    document = explanation_of(profile([one], path({"k": 100_000})), [found])
    # Busy 25 % of the 90 % after launching: even, the work takes 22.5 %, and launching 10 %.
    assert "works 25% of the time" in document.advice[0].why
    assert document.advice[0].kernel_gain == pytest.approx(1 / (0.225 + 0.1))


def test_a_close_call_names_both_and_a_doubt_its_confidence() -> None:
    one = row("k", 80_000, 1.0)
    near = verdict(one, 1.0, 0.61)
    last = render_explanation(
        explanation_of(profile([one], path({"k": 80_000})), [near])
    ).splitlines()[-1]
    assert "memory-bandwidth bound" in last
    assert f"(confidence {near.verdict.confidence:.2f})" in last
    assert near.verdict.confidence < 0.5


def test_a_number_that_cannot_be_is_named() -> None:
    one = row("k", 80_000, 1.0)
    wrong = dataclasses.replace(
        verdict(one, 1.0, 0.8).verdict, suspect={"wait_share": 6.54, "mean_time": 0.0}
    )
    found = dataclasses.replace(verdict(one, 1.0, 0.8), verdict=wrong)
    notes = explanation_of(profile([one], path({"k": 80_000})), [found]).notes
    assert any(note.startswith("wait share would be 654 %, which cannot be") for note in notes)
    assert any(note.startswith("mean time is 0 us, which cannot be") for note in notes)


def test_a_time_that_is_a_lower_bound_is_named() -> None:
    bound = schema.TimeBoundModel(
        name="HBM", meaning="it is slow", dispatches=1, total_ns=80_000, simulated_ns=50_000
    )
    one = replace(row("k", 80_000, 1.0), time_bounds=[bound])
    document = explanation_of(profile([one], None), [verdict(one, 1.0, 0.8)])
    assert document.notes[0] == (
        "the time of 1 of 1 dispatches of k is the lower bound 'HBM' (it is slow): 80 us, where "
        "the simulation of a sample said 50 us"
    )


def test_without_a_path_shares_are_of_kernel_time() -> None:
    one = row("k", 60_000, 1.0)
    document = explanation_of(profile([one], None), [verdict(one, 1.0, 0.8)])
    assert (document.time.basis, document.time.kernels) == ("kernel time", 0.5)
    assert (document.time.copies, document.time.launching) == (None, None)
    assert "in kernel time" in render_explanation(document).splitlines()[-1]


def test_a_kernel_beside_the_path_is_named() -> None:
    rows = [row("main", 80_000, 0.8), row("other", 20_000, 0.2)]
    on_path = path({"main": 80_000, "other": 0}, slack=30_000)
    document = explanation_of(
        profile(rows, on_path), [verdict(rows[0], 1.0, 0.8), verdict(rows[1], 0.0, 0.1)]
    )
    assert document.notes[-1] == (
        "other runs beside the critical path: it may take 30.0 us longer, and making it faster "
        "gains nothing"
    )
    assert [one.slack_us for one in document.kernels] == [0.0, 30.0]
    shown = [replace(one, criticality=0.01) for one in document.kernels]
    page = render_explanation(replace(document, kernels=shown))
    assert any(line.startswith("other ") and line.endswith(" 30 us") for line in page.splitlines())


def test_the_kernel_with_more_to_gain_is_named() -> None:
    rows = [row("near", 60_000, 0.6), row("far", 40_000, 0.4)]
    on_path = path({"near": 60_000, "far": 40_000})
    document = explanation_of(
        profile(rows, on_path), [verdict(rows[1], 0.4, 0.1), verdict(rows[0], 0.6, 0.9)]
    )
    assert document.kernel == "near"
    assert any("far has more to gain end to end" in note for note in document.notes)


def test_nothing_is_promised_where_no_ceiling_is_near() -> None:
    one = row("k", 80_000, 1.0)
    far = dataclasses.replace(verdict(one, 1.0, 0.8), headroom=headroom_of({"hbm": 1e-6}, {}))
    assert explanation_of(profile([one], path({"k": 80_000})), [far]).gain is None


def test_missing_numbers_are_named() -> None:
    one = row("k", 80_000, 1.0)
    document = explanation_of(profile([one], path({"k": 80_000})), [verdict(one, 1.0, 0.8)])
    (note,) = [note for note in document.notes if "missing" in note]
    assert "wait_share" in note


@pytest.mark.parametrize(
    ("changed", "is_open"),
    [
        ({}, True),  # a small grid
        ({"reached": {"hbm": 0.9}}, False),  # a roof explains it
        ({"launch_floor_ns": 900.0}, False),
    ],
)
def test_a_thread_trace_is_made_where_it_tells_more(changed: dict[str, Any], is_open: bool) -> None:
    facts = dataclasses.replace(
        KernelFacts("k", mean_ns=1e3, workgroups=4, cu_count=304), **changed
    )
    found = KernelVerdict(measured_kernel(row("k", 1000, 1.0), facts), judge(facts), None, 1.0)
    assert leaves_cause_open([found], Timing(1.0, 1.0, None)) is is_open
    assert not leaves_cause_open([found], Timing(3.0, 1.0, None))  # most of the time is no kernel's
    assert not leaves_cause_open([], Timing(1.0, 1.0, None))
