"""Which kernel is explained: the longest, or of comparable ones that with the most to gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from explained_profiles import row

from rocm_perf_lab.analysis.documents.verdicts.measured import measured_kernel
from rocm_perf_lab.analysis.verdicts.bottleneck import judge_metrics
from rocm_perf_lab.analysis.verdicts.explain import explain, limiting
from rocm_perf_lab.analysis.verdicts.figures import figures_of
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.analysis.verdicts.measured import TracedWaits
from rocm_perf_lab.analysis.verdicts.timing import Timing


def _verdict(name: str, share: float, **metrics: float) -> KernelVerdict:
    """Neither is near a roof; what is known of it are these numbers."""
    known = {"vector_busy": 0.1, "workgroups_per_cu": 8.0, "waves": 9728.0, **metrics}
    facts = KernelFacts(name, mean_ns=1e5 * share)
    kernel = measured_kernel(row(name, int(1e5 * share), share), facts)
    return KernelVerdict(kernel, replace(judge_metrics(known), metrics=known), None, share)


_SPREAD = {"wait_share": 0.8, "lines_per_access": 64.0}


def test_of_comparable_kernels_the_one_with_the_most_to_gain_is_explained() -> None:
    busy, apart = _verdict("busy", 0.4, wait_share=0.1), _verdict("apart", 0.3, **_SPREAD)
    assert limiting([busy, apart]) is apart
    assert limiting([_verdict("busy", 0.7, wait_share=0.1), apart]).kernel.name == "busy"


def test_each_kernel_is_looked_at_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand that are comparable are a thousand looks, not a million."""
    looked: list[int] = []

    def counted(found: KernelVerdict, everything: Sequence[KernelVerdict], *more: Any) -> Any:
        looked.append(len(everything))
        return figures_of(found, everything, *more)

    monkeypatch.setattr("rocm_perf_lab.analysis.verdicts.explain.figures_of", counted)
    limiting([_verdict(str(n), 0.01, wait_share=0.1) for n in range(50)])
    assert looked == [1] * 50


def test_of_equals_the_one_with_the_most_time_is_explained() -> None:
    less, more = _verdict("less", 0.3, wait_share=0.1), _verdict("more", 0.4, wait_share=0.1)
    assert limiting([less, more]) is more


def test_a_trace_of_one_kernel_does_not_decide_between_two() -> None:
    apart, other = _verdict("apart", 0.4, **_SPREAD), _verdict("other", 0.39, **_SPREAD)
    trace = TracedWaits("", None, {}, 0.0)
    traced = replace(apart, kernel=replace(apart.kernel, trace=trace))
    assert limiting([traced, other]) is traced


def test_the_last_place_is_for_another_kernel_that_gains_more() -> None:
    busy = _verdict("busy(int*)", 0.7, wait_share=0.1, vector_busy=0.7, flop_share=0.5)
    for share, others in ((0.25, 1), (0.05, 0)):  # a twentieth of the time is not worth it
        apart = _verdict("apart(int*)", share, **_SPREAD)
        said = explain([busy, apart], Timing(1.0, 1.0, None))
        assert said.kernel is busy
        assert said.advice[0].what.startswith("Spend fewer instructions")
        named = [one for one in said.advice if one.what.startswith("In apart: Let neighbouring")]
        assert len(named) == others
        assert (said.advice[-1].mend == "coalesce") is bool(others)


def test_what_nearly_applies_leaves_the_last_place_to_another_kernel() -> None:
    """Half of 37 % of the time is expected of wider loads, if they were a little narrower."""
    waits = {"wait_share": 0.7, "lines_per_access": 4.0, "access_bytes": 4.5, "lane_fill": 1.0}
    own = {**waits, "vector_busy": 0.5, "flop_share": 0.1}
    for share, last in ((0.2, "coalesce"), (0.05, "wider")):
        other = _verdict("apart(int*)", share, **_SPREAD)
        said = explain([_verdict("busy(int*)", 0.7, **own), other], Timing(1.0, 1.0, None)).advice
        assert said[-1].mend == last, [one.mend for one in said]


def _maker(share: float, **counters: float) -> KernelVerdict:
    """A few instructions for each store; others are tried with what it makes."""
    found = _verdict("make", share, accesses_per_instruction=0.04, **_SPREAD)
    stored = {"TCP_TCC_READ_REQ": 0.0, "TCP_TCC_WRITE_REQ": 1000.0, **counters}
    facts = replace(found.kernel.facts, counters=stored)
    return replace(found, kernel=replace(found.kernel, facts=facts))


def test_what_only_makes_data_hides_no_kernel_that_uses_them() -> None:
    """Bytes were made in 37 % of the time, and used in 36 %."""
    uses = _verdict("uses", 0.2, wait_share=0.1)
    assert limiting([_maker(0.7), uses]) is uses
    loads = _maker(0.7, TCP_TCC_READ_REQ=1000.0)
    assert limiting([loads, uses]) is loads
    little = _verdict("little", 0.1, wait_share=0.1)
    assert limiting([_maker(0.7), little]).kernel.name == "make"
    assert limiting([_maker(0.4)]).kernel.name == "make"
    busy = _verdict("busy(int*)", 0.7, wait_share=0.1, vector_busy=0.7, flop_share=0.5)
    said = explain([busy, _maker(0.25)], Timing(1.0, 1.0, None))
    assert not any(one.what.startswith("In make") for one in said.advice)


def test_what_adds_to_memory_makes_no_data() -> None:
    """Atomics are requests to L2 without a load."""
    found = _maker(0.7)
    adds = {**found.verdict.metrics, "atomic_share": 0.9}
    atomics = replace(found, verdict=replace(found.verdict, metrics=adds))
    assert limiting([atomics, _verdict("uses", 0.2, wait_share=0.1)]) is atomics


def test_what_computes_for_each_store_is_a_kernel_like_others() -> None:
    found = _maker(0.7)
    computes = {**found.verdict.metrics, "accesses_per_instruction": 0.001}
    long = replace(found, verdict=replace(found.verdict, metrics=computes))
    assert limiting([long, _verdict("uses", 0.2, wait_share=0.1)]) is long
