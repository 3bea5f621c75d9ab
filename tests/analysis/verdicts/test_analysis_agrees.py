"""One page never contradicts itself: shares of one thing agree, the first advice and the last line
name one limiter, and a headline that its own advice exceeds says why."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from explained_profiles import path, profile, row, verdict

from fakes.recordings import Known
from fakes.runs.training_traces import write_ranks
from fakes.runs.upload_runs import uploads_each_step, uploads_once
from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument
from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.verdicts.timing import Queues
from rocm_perf_lab.measure.examine import explain
from rocm_perf_lab.measure.request import ExplainRequest, Recordings
from rocm_perf_lab.reporters.figures.explain import render_explanation
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

_PARTS = ("kernels", "copies", "launching", "host", "other")
_SAID = {
    "copies": r"copies take (\d+)% of the critical path",
    "launching": r"launching takes (\d+)% of the critical path",
    "host": r"the host takes (\d+)% of the critical path",
    "kernels": r"of the critical path, kernels (\d+)%",
}
# What the first advice is about, as the last line says it.
_LIMITERS = {
    "overlap": ("communication",),
    "balance": ("communication",),
    "copies": ("copying", "launching"),
    "ahead": ("launching", "the host"),
    "host": ("the host", "launching"),
    "record": ("unexplained",),
}


def check(document: ExplanationDocument) -> None:
    page = " ".join(render_explanation(document).split())
    result = page[page.index("Result:") :]
    time = document.time
    shares = {name: getattr(time, name) for name in _PARTS}
    assert sum(share or 0.0 for share in shares.values()) == pytest.approx(1.0, abs=1e-6)
    for name, sentence in _SAID.items():
        for said in re.findall(sentence, page):
            assert int(said) == pytest.approx(100 * shares[name], abs=0.51), (name, page)
    for gpu in document.gpus:
        parts = gpu.computation_ms + gpu.exposed_communication_ms + gpu.exposed_copies_ms
        assert parts + gpu.idle_ms == pytest.approx(gpu.span_ms)
    limiting = next(one for one in document.kernels if one.kernel == document.kernel)
    assert f"takes {100 * limiting.criticality:.1f}% of the {time.basis}" in page
    if document.advice and document.advice[0].mend in _LIMITERS:
        named = _LIMITERS[document.advice[0].mend]
        assert any(word in result for word in named), (document.advice[0], result)
    gains = [advice.gain for advice in document.advice if advice.gain]
    headline = document.gain.application if document.gain else None
    if headline is not None and "at most" in result and max(gains, default=0) > 1.01 * headline:
        assert "for the same work" in result, result


@pytest.mark.parametrize("seed", range(60))
def test_random_runs(seed: int) -> None:
    rng = random.Random(seed)
    kernels = {name: rng.randrange(1, 100_000) for name in "abc"[: rng.randrange(1, 4)]}
    names = ("launch_ns", "host_ns", "synchronisation_ns", "dependency_ns", "unknown_ns")
    around = {name: rng.choice((0, rng.randrange(200_000))) for name in ("copy_ns", *names)}
    on_path = path(kernels, **around)
    whole = sum(kernels.values())
    rows = [row(name, ns, ns / whole) for name, ns in kernels.items()]
    verdicts = [
        verdict(one, kernels[one.name] / on_path.span_ns, rng.choice((0.05, 0.5, 0.95)))
        for one in rows
    ]
    queues = Queues(
        all=rng.choice((None, 1, 2)),
        uploads=rng.randrange(4),
        fetched_ns=rng.choice((0, rng.randrange(300_000))),
        once_ns=rng.choice((0, around["copy_ns"])),
        waited_ns=rng.choice((None, rng.randrange(100_000))),
    )
    check(explanation_of(profile(rows, on_path), verdicts, queues))


@pytest.mark.parametrize(
    "name", ["mi210-gpu-only", "mi300x-bert-small", "mi300x-sglang-qwen3-8b-decode"]
)
def test_recorded_traces(name: str, known: Known) -> None:
    check(explain(ExplainRequest(Recordings((known(f"pytorch-traces/{name}.json.gz"),)))))


def test_ranks_of_a_training_run(tmp_path: Path) -> None:
    write_ranks(tmp_path)
    document = explain(ExplainRequest(Recordings((tmp_path,))))
    check(document)
    page = " ".join(render_explanation(document).split())
    assert document.limit == "communication"
    assert [advice.mend for advice in document.advice] == ["balance", "overlap", "exchange"]
    assert "Exposed communication limits the application" in page
    assert "1. Give rank 1 less to do" in page
    assert page.endswith("exposed communication limits the application")
    balance = document.advice[0]
    assert (balance.expected, balance.gain) == (
        pytest.approx(1.37, abs=0.02),
        pytest.approx(2, abs=0.1),
    )


@pytest.mark.parametrize("whole", [False, True])
def test_uploads(whole: bool, tmp_path: Path) -> None:
    for record in (uploads_once(), uploads_each_step()):
        file = tmp_path / f"{record.calls}_results.db"
        write_rocpd(record.trace(), file)
        check(explain(ExplainRequest(Recordings((file,)), whole=whole)))
