"""Of very many kernels those with the most time are judged; the others count as one."""

from __future__ import annotations

import pytest

from fakes.reported_runs import run_of
from rocm_perf_lab.analysis.documents.profile import Origin, RunInput, build_profile
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.models import judge_profile
from rocm_perf_lab.analysis.verdicts.advice.launch_figures import BetweenLaunches, queued_ns
from rocm_perf_lab.analysis.verdicts.explain import limiting
from rocm_perf_lab.analysis.verdicts.figures import figures_of
from rocm_perf_lab.trace.model import Trace

NAMES = [f"kernel_{n}(float*)" for n in range(7)]


def profile() -> tuple[ProfileDocument, Trace]:
    trace = run_of(60, names=NAMES)
    return build_profile([RunInput(trace)], Origin("recorded", "1", ["app"])), trace


def test_the_others_count_in_sums_as_if_each_were_judged() -> None:
    document, trace = profile()
    every, some = judge_profile(document, trace), judge_profile(document, trace, most=3)
    assert [one.stands_for for one in some] == [1, 1, 1, 4]
    assert {one.kernel.name for one in some[:3]} == {row.name for row in document.kernels[:3]}
    assert sum(one.kernel.launches for one in some) == 60
    assert queued_ns(some) == pytest.approx(queued_ns(every))
    fused = [figures_of(limiting(found), found, BetweenLaunches(50.0)) for found in (every, some)]
    for name in ("fused", "fused_likely"):
        assert fused[1][name] == pytest.approx(fused[0][name])
        assert float(fused[0][name]) > 1.0


def test_the_sum_of_others_never_limits_and_is_named() -> None:
    document, trace = profile()
    found = judge_profile(document, trace, most=1)
    assert found[1].kernel.total_ns > found[0].kernel.total_ns
    assert limiting(found) is found[0]
    explained = explanation_of(document, found)
    assert [one.kernel for one in explained.kernels] == [document.kernels[0].name]
    (entry,) = [one for one in explained.unavailable if one.field == "kernels"]
    assert entry.reason.startswith("6 kernels are not judged: the 1 with the most time")
    assert not [
        one
        for one in explanation_of(document, judge_profile(document, trace)).unavailable
        if one.field == "kernels"
    ]
