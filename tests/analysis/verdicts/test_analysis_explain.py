"""The explanation: what is said to limit an application, and which advice it gets."""

from __future__ import annotations

import dataclasses
from typing import Optional

import pytest
from explained_profiles import path, profile, row, verdict

from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.measured import measured_kernel
from rocm_perf_lab.analysis.verdicts.bottleneck import judge
from rocm_perf_lab.analysis.verdicts.explain import wants_trace
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.headroom import headroom_of
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.analysis.verdicts.rules import IMBALANCE
from rocm_perf_lab.analysis.verdicts.timing import Queues, Timing
from rocm_perf_lab.reporters.figures.explain import render_explanation
from rocm_perf_lab.strict_json import replace


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


@pytest.mark.parametrize("reached", [{}, {"hbm": 0.9}])
def test_a_thread_trace_is_made_where_a_kernel_limits(reached: dict[str, float]) -> None:
    """At a roof, too: counters do not tell what the bytes are for."""
    facts = KernelFacts("k", mean_ns=1e3, workgroups=4, cu_count=304, reached=reached)
    found = KernelVerdict(measured_kernel(row("k", 1000, 1.0), facts), judge(facts), None, 1.0)
    assert wants_trace([found], Timing(1.0, 1.0, None))
    assert not wants_trace([found], Timing(3.0, 1.0, None))  # most of the time is no kernel's
    assert not wants_trace([], Timing(1.0, 1.0, None))


def _counted(label: Optional[str], **metrics: float) -> list[str]:
    one = row("k", 80_000, 1.0)
    found = verdict(one, 1.0, 0.3)
    judged = dataclasses.replace(found.verdict, label=label, metrics=metrics)
    found = dataclasses.replace(found, verdict=judged)
    document = explanation_of(profile([one], path({"k": 80_000})), [found])
    return [advice.mend for advice in document.advice]


def test_causes_that_were_counted_are_told_of_a_kernel_without_a_label() -> None:
    """A roof that would be reached twice is a wrong number; where lanes access is counted still."""
    counted = {"wait_share": 0.2, "lines_per_access": 64.0, "vector_busy": 0.1}
    assert _counted(None, **counted)[0] == "coalesce"
    assert _counted(None, mean_time=80.0) == []
