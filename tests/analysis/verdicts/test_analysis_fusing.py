"""Launching: what fusing gains, and which kernel is looked at where launching limits."""

from __future__ import annotations

import dataclasses

import pytest
from explained_profiles import path, profile, row

from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.measured import measured_kernel
from rocm_perf_lab.analysis.verdicts.advice.launch_figures import (
    BetweenLaunches,
    beside_each_other,
    unlike_beside_each_other,
)
from rocm_perf_lab.analysis.verdicts.bottleneck import judge
from rocm_perf_lab.analysis.verdicts.figures import figures_of
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.headroom import headroom_of
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.analysis.verdicts.timing import Queues, TimeSplit
from rocm_perf_lab.strict_json import replace


def test_the_gain_of_fusing_counts_launching_and_what_any_launch_takes() -> None:
    """100 launches of 2 us with 3 us between them; 1 us of each is what an empty one takes. Nobody
    counted what they do, and it may be next to nothing: one of them is all that surely stays."""
    one = replace(row("k", 200_000, 1.0), dispatches=100, mean_ns=2_000.0)
    facts = KernelFacts("k", mean_ns=2_000.0, launch_floor_ns=1_000.0)
    found = KernelVerdict(measured_kernel(one, facts), judge(facts), None, 0.4)
    document = explanation_of(profile([one], path({"k": 200_000}, launch_ns=300_000)), [found])
    (fusing,) = [a for a in document.advice if a.what.startswith("Do more per launch")]
    assert fusing.gain == pytest.approx(100 * (2 + 3) / (1 + 1 + 3))
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
    none, some, many = (advice.expected or 0.0 for advice in fusing)
    assert none > some > many > 1.0
    assert len({advice.gain for advice in fusing}) == 1


@pytest.mark.parametrize(
    ("l1_hits", "workgroups", "probable"),
    [(0.0, 152, 0.5), (0.6, 152, 0.25), (0.6, 1, 0.5)],  # one workgroup has barriers
)
def test_steps_that_need_their_neighbours_are_less_probably_one(
    l1_hits: float, workgroups: int, probable: float
) -> None:
    """100 launches of 2 us, half of which any launch takes, with 2 us between them."""
    one = replace(row("k", 200_000, 1.0), dispatches=100, mean_ns=2_000.0)
    facts = KernelFacts("k", mean_ns=2_000.0, launch_floor_ns=1_000.0, workgroups=workgroups)
    judged = judge(facts)
    judged = dataclasses.replace(judged, metrics={**judged.metrics, "l1_hits": l1_hits})
    found = KernelVerdict(measured_kernel(one, facts), judged, None, 0.4)
    figures = figures_of(found, [found], BetweenLaunches(2_000.0))
    left = (100 * 1 + 1 + 2) / (100 * 4)
    assert figures["fused_likely"] == pytest.approx(1 / (1 - probable * (1 - left)))


def test_in_one_launch_results_may_stay_in_registers() -> None:
    """So that what 100 launches move is moved once: a tenth of the time of one of them."""
    one = replace(row("k", 200_000, 1.0), dispatches=100, mean_ns=2_000.0)
    facts = KernelFacts("k", mean_ns=2_000.0, launch_floor_ns=1_000.0, reached={"hbm": 0.1})
    found = KernelVerdict(
        measured_kernel(one, facts), judge(facts), headroom_of(facts.reached, {}), 0.4
    )
    document = explanation_of(profile([one], path({"k": 200_000}, launch_ns=300_000)), [found])
    (fusing,) = [a for a in document.advice if a.what.startswith("Do more per launch")]
    assert fusing.gain == pytest.approx(100 * (2 + 3) / (0.2 + 1 + 3))


def test_what_is_computed_in_each_launch_stays() -> None:
    one = replace(row("k", 200_000, 1.0), dispatches=100, mean_ns=2_000.0)
    facts = KernelFacts(
        "k", mean_ns=2_000.0, launch_floor_ns=1_000.0, reached={"hbm": 0.3, "vector.fp32": 0.1}
    )
    found = KernelVerdict(
        measured_kernel(one, facts), judge(facts), headroom_of(facts.reached, {}), 0.4
    )
    document = explanation_of(profile([one], path({"k": 200_000}, launch_ns=300_000)), [found])
    (fusing,) = [a for a in document.advice if a.mend == "fuse"]
    assert fusing.gain == pytest.approx(100 * (2 + 3) / (100 * 0.2 + 1 + 3))


def test_one_launch_has_no_other_to_be_waited_for() -> None:
    """In a busy queue 4.05 us of each launch are launching; alone, 1.05 us are."""
    one = replace(row("k", 410_000, 1.0), dispatches=100, mean_ns=4_100.0)
    facts = KernelFacts(
        "k", target="gfx942", mean_ns=4_100.0, launch_floor_ns=4_050.0, reached={"hbm": 0.01}
    )
    found = KernelVerdict(
        measured_kernel(one, facts), judge(facts), headroom_of(facts.reached, {}), 0.9
    )
    document = explanation_of(profile([one], path({"k": 410_000}, launch_ns=1)), [found])
    (fusing,) = [a for a in document.advice if a.mend == "fuse"]
    assert fusing.gain == pytest.approx(410 / (0.04 + 1.05), rel=0.01)


def test_addresses_go_with_what_is_passed_on_through_memory() -> None:
    """Sixteen passes over an array in one gained 7.71 times, and 7.02 were promised."""
    one = replace(row("k", 200_000, 1.0), dispatches=100, mean_ns=2_000.0)
    facts = KernelFacts("k", mean_ns=2_000.0, launch_floor_ns=1_000.0, reached={"hbm": 0.3})
    known = {"vector_busy": 0.1, "flop_share": 0.25, "accesses_per_instruction": 0.3}
    judged = judge(facts)
    judged = dataclasses.replace(judged, metrics={**judged.metrics, **known})
    found = KernelVerdict(
        measured_kernel(one, facts), judged, headroom_of(facts.reached, known), 0.4
    )
    document = explanation_of(profile([one], path({"k": 200_000}, launch_ns=300_000)), [found])
    (fusing,) = [a for a in document.advice if a.mend == "fuse"]
    assert fusing.gain == pytest.approx(100 * (2 + 3) / (100 * 2 * 0.025 + 1 + 3))


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
    assert fusing.gain == pytest.approx(20 * (2 + 3) / (1 + 1 + 3))


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


def _split(**shares: float) -> TimeSplit:
    known = {"copies": 0.0, "launching": 0.0, "host": 0.0, "other": 0.0, **shares}
    return TimeSplit(1.0, "critical path", kernels=0.5, **known)


def test_launches_of_one_template_run_beside_each_other() -> None:
    """Two kernels of a template with 100 us of 280 each, on a quarter of the compute units."""
    rows = [row(f"void f<{k}>(int*)", 100_000, 0.5) for k in (0, 1)]
    known = {"mean_ns": 1e5, "launch_floor_ns": 1e3, "workgroups": 76, "cu_count": 304}
    facts = [KernelFacts(one.name, **known) for one in rows]
    found = [
        KernelVerdict(measured_kernel(one, of), judge(of), None, 100 / 280)
        for one, of in zip(rows, facts)
    ]
    figures = beside_each_other(found[0], found, _split(launching=80 / 280))
    assert figures == {
        "alike": 2.0,
        "beside": pytest.approx(280 / 99),  # the other one, launching and its floor are hidden
        "beside_likely": pytest.approx(280 / (80 + 200 / 2 ** (2 / 3))),  # or steps of one thing
        "batched_likely": pytest.approx(280 / (80 + 200 / 2 ** (2 / 3))),
    }
    of = profile(rows, path({one.name: 100_000 for one in rows}, launch_ns=80_000))
    said = explanation_of(of, found, Queues(1, {one.name: 1 for one in rows})).advice
    (beside,) = [advice for advice in said if advice.mend == "beside" and advice.gain]
    assert "2 launches of 76 workgroups for 304 compute units stand in one queue" in beside.why


def _alike(launches: int) -> list[KernelVerdict]:
    """Launches of one workgroup, of 50 us each, which are all of the time."""
    one = replace(row("f", 50_000 * launches, 1.0), dispatches=launches, mean_ns=50_000.0)
    facts = KernelFacts(
        "f", mean_ns=5e4, launch_floor_ns=1e3, workgroups=1, workgroup_size=256, cu_count=304
    )
    return [KernelVerdict(measured_kernel(one, facts), judge(facts), None, 1.0)]


@pytest.mark.parametrize(("launches", "first"), [(8, "beside"), (40, "fuse")])
def test_more_launches_than_streams_are_better_in_one(launches: int, first: str) -> None:
    """Eight run at a time on as many streams as somebody makes, and all in one launch."""
    found = _alike(launches)
    figures = beside_each_other(found[0], found, _split())
    assert figures["beside_likely"] == pytest.approx(8 ** (2 / 3))
    assert figures["batched_likely"] == pytest.approx(launches ** (2 / 3))
    rows = [replace(row("f", 50_000 * launches, 1.0), dispatches=launches, mean_ns=50_000.0)]
    of = profile(rows, path({"f": 50_000 * launches}, launch_ns=1_000))
    said = {a.mend: a for a in explanation_of(of, found, Queues(1, {"f": 1})).advice if a.expected}
    order = [mend for mend in said if mend in ("beside", "fuse")]
    assert order[0] == first
    if first == "fuse":
        assert said["fuse"].what.startswith("Do more per launch: all of these launches in one")
        assert said["fuse"].why == (
            "40 launches of 1 workgroups for 304 compute units stand in line, more than there are "
            "streams for that run beside each other"
        )


def _unlike(first_groups: int, launches: int = 1) -> list[KernelVerdict]:
    """Two kernels with 40 % of the time each, and a third of the runtime."""
    found = []
    for name, groups, count in (("f", first_groups, launches), ("g", 76, 2), ("own", 76, 1)):
        known = {"mean_ns": 1e5, "launch_floor_ns": 1e3, "workgroups": groups, "cu_count": 304}
        facts = KernelFacts(name, **known)
        one = replace(row(name, 100_000, 0.4), runtime_internal=name == "own", dispatches=count)
        found.append(KernelVerdict(measured_kernel(one, facts), judge(facts), None, 0.4))
    return found


def test_unlike_kernels_of_one_queue_may_run_beside_each_other() -> None:
    found = _unlike(76, launches=4)
    assert unlike_beside_each_other(found[0], found, _split(launching=0.1)) == {
        "unlike": 2.0,
        "small_others": pytest.approx(0.5),  # what is small beside the one that is looked at
        "unlike_beside": pytest.approx(1 / (1 - 0.8 - 0.1 + 0.2 * 0.99)),  # the longest stays
        "unlike_likely": pytest.approx(1 / (1 - 0.4 / 2)),  # the longer chain, if at all
    }
    found = _unlike(304)
    assert unlike_beside_each_other(found[0], found, _split()) == {}  # the first leaves no room


def _passes(launches: int, **known: float) -> KernelVerdict:
    """Launches of 10 us at 70 % of the roof of memory, that load and store each value once."""
    one = replace(row("pass", 10_000 * launches, 1.0), dispatches=launches, mean_ns=10_000.0)
    counters = {"TCP_TCC_READ_REQ": 100.0, "TCP_TCC_WRITE_REQ": 200.0}
    facts = KernelFacts("pass", mean_ns=10_000.0, reached={"hbm": 0.7}, counters=counters)
    alone = {"l1_hits": 0.0, "lines_per_access": 4.0, "accesses_per_wave": 2.0}
    judged = judge(facts)
    judged = dataclasses.replace(judged, metrics={**judged.metrics, **alone, **known})
    return KernelVerdict(measured_kernel(one, facts), judged, headroom_of(facts.reached, {}), 1.0)


@pytest.mark.parametrize(
    ("launches", "known", "likely"),
    [
        (16, {}, 1 / (1 - 2 / 3 * 15 / 16)),  # mostly they pass on what they store
        (16, {"l1_hits": 0.6}, 1.0),  # neighbours are read, which others made
        (16, {"accesses_per_wave": 40.0}, 1.0),  # a sum over many
        (3, {}, 1.0),  # less traffic says the same of so few
    ],
)
def test_passes_over_the_same_values_may_be_one_launch(
    launches: int, known: dict[str, float], likely: float
) -> None:
    found = _passes(launches, **known)
    figures = figures_of(found, [found], BetweenLaunches(0.0))
    assert figures["fused_likely"] == pytest.approx(likely)


def test_passes_are_told_of_each_other() -> None:
    found = _passes(16)
    rows = [replace(row("pass", 160_000, 1.0), dispatches=16, mean_ns=10_000.0)]
    document = explanation_of(profile(rows, path({"pass": 160_000}, launch_ns=1_000)), [found])
    (fusing,) = [advice for advice in document.advice if advice.mend == "fuse"]
    assert fusing is document.advice[0]
    assert fusing.why == (
        "16 launches load and store each value once, at 70% of the roof of memory, and find no "
        "neighbours in L1"
    )


@pytest.mark.parametrize(("part", "copies", "left"), [(0.4, 0.1, 0.396), (0.05, 0.8, 0.4)])
def test_on_streams_copies_run_beside_kernels(part: float, copies: float, left: float) -> None:
    """What is copied one way stands in line; kernels of ``part`` each, and launching the rest."""
    found = [dataclasses.replace(one, criticality=part) for one in _unlike(76)]
    figures = unlike_beside_each_other(found[0], found, _split(copies=copies, launching=0.1))
    assert figures["unlike_beside"] == pytest.approx(1 / left)


def test_a_next_step_takes_no_place_of_the_same_advice_with_a_bound() -> None:
    """Little is expected of 3 % of the time beside the rest; what it gains at most is told."""
    found = _unlike(76)
    found[1] = dataclasses.replace(found[1], criticality=0.03)
    rows = [row(one.kernel.name, 100_000, 0.4) for one in found]
    of = profile(rows, path({"f": 100_000, "g": 100_000}, launch_ns=50_000))
    said = explanation_of(of, found, Queues(2, busiest=0.95)).advice
    (beside,) = [advice for advice in said if advice.mend == "beside"]
    assert beside.gain is not None
    assert beside.expected is not None
    assert beside.expected < 1.03


@pytest.mark.parametrize(
    ("busiest", "names", "is_said"),
    [(0.95, "", True), (0.6, "", False), (0.6, "f", False), (0.6, "fg", True)],
)
def test_unlike_kernels_are_told_of_each_other_in_one_queue(
    busiest: float, names: str, is_said: bool
) -> None:
    """By the time of all launches, or by what is neither the runtime's nor makes data."""
    found = _unlike(76)
    rows = [row(one.kernel.name, 80_000, 0.4) for one in found]  # two of them beside each other
    of = profile(rows, path({"f": 100_000, "g": 100_000}, launch_ns=50_000))
    queues = Queues(2, busiest=busiest, of_busiest=frozenset(names))
    said = explanation_of(of, found, queues).advice
    why = [advice.why for advice in said if advice.mend == "beside" and advice.gain]
    assert bool(why) is is_said
    if why:
        assert why == [
            "2 different kernels with fewer workgroups than 304 compute units stand in one queue, "
            "one behind the other"
        ]


def test_streams_that_wait_for_each_other_are_told_so() -> None:
    """An event behind too much: kernels of two streams never run beside each other."""
    found = _unlike(76)
    rows = [row(one.kernel.name, 100_000, 0.4) for one in found]
    of = profile(rows, path({"f": 100_000, "g": 100_000}, launch_ns=50_000))
    said = explanation_of(of, found, Queues(2, busiest=0.6, of_busiest=frozenset("f"))).advice
    (beside,) = [advice for advice in said if advice.mend == "beside"]
    assert beside.what.startswith("Let these streams not wait for each other")
    assert beside.why == (
        "2 different kernels with fewer workgroups than 304 compute units are in several streams "
        "and run one behind the other all the same"
    )
    assert beside.gain is not None
    assert beside.expected == pytest.approx(1 / (1 - 0.4 / 2))


def test_the_queue_with_the_most_kernels_is_what_launching_ahead_leaves() -> None:
    one = row("k", 200_000, 1.0)
    facts = KernelFacts("k", target="gfx942", mean_ns=2e5, hand_over_ns=0.0)
    found = [KernelVerdict(measured_kernel(one, facts), judge(facts), None, 0.5)]
    of = profile([one], path({"k": 200_000}, launch_ns=200_000))
    ahead = [
        next(a for a in explanation_of(of, found, queues).advice if a.mend == "ahead")
        for queues in (Queues(1), Queues(2, busiest=0.75))
    ]
    assert [advice.gain for advice in ahead] == [pytest.approx(2.0), pytest.approx(1 / 0.375)]


def test_copies_within_asynchronous_calls_are_no_launching() -> None:
    """Of memory that is not pinned: 60 of 100 us, which the path takes for launching."""
    one = replace(row("k", 20_000, 1.0), dispatches=10, mean_ns=2_000.0)
    facts = KernelFacts("k", mean_ns=2_000.0, launch_floor_ns=1_000.0, hand_over_ns=1_000.0)
    found = KernelVerdict(measured_kernel(one, facts), judge(facts), None, 0.2)
    of = profile([one], path({"k": 20_000}, launch_ns=80_000)), [found]
    seen = explanation_of(*of, queues=Queues(1, waited_ns=60_000)).advice
    assert "copies" not in {advice.mend for advice in seen}
    said = explanation_of(*of, queues=Queues(1, waited_ns=0, fetched_ns=60_000)).advice
    assert said[0].mend == "copies"
    assert said[0].why == "copies take 60% of the critical path, kernels 20%"
