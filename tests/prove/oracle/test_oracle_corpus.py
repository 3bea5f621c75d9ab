"""Wrong kernels are called different, with the stage that found them; right ones are equal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Optional

import pytest
from oracle_support import Workshop, needs_replay

from rocm_perf_lab.prove.oracle import OracleReport, OracleRequest
from rocm_perf_lab.prove.oracle.oracle import Oracle, opened_oracle
from rocm_perf_lab.replay.capture import opened_capture

pytestmark = needs_replay

TIMEOUT_S = 5.0  # per launch; only the endless loop needs it

CAPTURED = "captured memory"
WRONG = {
    "scale": {
        "last_block_dropped": CAPTURED,
        "off_by_one": CAPTURED,
        "constant_output": CAPTURED,
        "copy_of_input": CAPTURED,
        "nothing_done": CAPTURED,
        "half_precision": CAPTURED,
        "reads_past_the_end": "poisoned output",  # NaN lies behind the end
        "past_the_end": "guards",
        "input_overwritten": "inputs unchanged",
        "on_the_second_launch": "poisoned output",
        "keeps_old_output": "poisoned output",
        "denormals_flushed": "inputs",
        "nan_swallowed": "inputs",
        "nan_left_out": "inputs",
        "infinity_clamped": "addresses",
        "for_odd_sizes": "sizes",
        "size_in_the_code": "sizes",
        "endless_loop": "sizes",
        "hidden_race": "launch shapes",
        "in_another_order": "launch shapes",
    },
    "update": {"aliasing": CAPTURED},
    "row_sums": {
        "half_sum": CAPTURED,
        "barrier_removed": CAPTURED,
        "uninitialised": "sizes",
    },
    "softmax": {"no_maximum": "inputs"},
    "histogram": {"plain_adds": CAPTURED},
    "stencil": {"barrier_removed": CAPTURED, "edges_of_blocks": CAPTURED, "race": CAPTURED},
}
RIGHT = {
    "scale": {"vectorised": "bit_exact", "other_order": "bit_exact"},
    "update": {"unfused": "error_budget"},
    "row_sums": {
        "reordered": "error_budget",
        "one_thread": "error_budget",
        "double_sum": "error_budget",
    },
    "softmax": {"reordered": "error_budget"},
    "histogram": {"in_lds": "bit_exact"},
    "stencil": {"without_lds": "error_budget", "other_sum": "error_budget"},
}

TRIALS = ("poisoned output", "inputs", "sizes", "scalars", "launch shapes", "addresses", "random")


class Corpus:
    """The oracle of one captured kernel and the code with its candidates."""

    def __init__(self, oracle: Oracle, code: Path, kernel: str) -> None:
        self.oracle = oracle
        self._code = code
        self._kernel = kernel

    def check(self, name: str) -> OracleReport:
        return self.oracle.check(self._code, f"{self._kernel}_{name}")


@pytest.fixture(scope="module", params=sorted(WRONG))
def corpus(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[Corpus]:
    code = workshop.candidates
    with opened_capture(workshop.capture(request.param)) as capture:
        asked = OracleRequest(capture, code, workshop.rocm, timeout_s=TIMEOUT_S)
        with opened_oracle(asked) as oracle:
            yield Corpus(oracle, code, request.param)


def kernel_of(request: pytest.FixtureRequest) -> str:
    name: str = request.node.callspec.params["corpus"]
    return name


def test_the_corpus_is_large_enough() -> None:
    assert sum(map(len, WRONG.values())) >= 20
    assert sum(map(len, RIGHT.values())) >= 10


def test_wrong_kernels_are_different(corpus: Corpus, request: pytest.FixtureRequest) -> None:
    expected = WRONG[kernel_of(request)]
    found = {name: corpus.check(f"wrong_{name}") for name in expected}
    assert {name: one.verdict for name, one in found.items()} == dict.fromkeys(
        expected, "different"
    )
    stages = {name: one.stage for name, one in found.items()}
    assert {name: _by(stage) for name, stage in stages.items()} == {
        name: _by(stage) for name, stage in expected.items()
    }
    for report in found.values():
        assert report.tier is None
        assert report.stages[-1].verdict == "fail"
        assert report.stage is not None
        assert report.reason.startswith(report.stage)


def _by(stage: Optional[str]) -> Optional[str]:
    """Which of the trials comes first depends on what is drawn."""
    return "a trial" if stage in (CAPTURED, "device checks", "order of waves", *TRIALS) else stage


def test_right_kernels_are_equal(corpus: Corpus, request: pytest.FixtureRequest) -> None:
    expected = RIGHT[kernel_of(request)]
    found = {name: corpus.check(f"right_{name}") for name in expected}
    assert {name: (one.verdict, one.reason) for name, one in found.items()} == {
        name: ("equal", one.reason) for name, one in found.items()
    }
    assert {name: one.tier for name, one in found.items()} == expected
    for report in found.values():
        names = [stage.name for stage in report.stages]
        assert names[:2] == [CAPTURED, "poisoned output"]
        assert {"inputs", "sizes", "random", "device checks", "order of waves"} <= set(names)
        assert names[-2:] == ["executed", "strength"]
        assert report.trials > 40
        assert report.reason.startswith(f"equal in {report.trials} trials ")
        assert report.not_varied
        assert "caught as they must be: zeros" in report.stages[-1].detail
        assert all(stage.verdict == "pass" for stage in report.stages)
        _check_arguments(kernel_of(request), report)


def test_code_for_more_work_than_any_launch_has_is_not_seen(workshop: Workshop) -> None:
    """A loop over several elements of a thread, in a kernel that has a thread for each."""
    code, name = workshop.candidates, "scale_right_unrolled"
    with opened_capture(workshop.capture("scale")) as capture:
        asked = OracleRequest(capture, code, workshop.rocm, timeout_s=TIMEOUT_S)
        with opened_oracle(asked) as oracle:
            refused = oracle.check(code, name)
            allowed = oracle.check(code, name, allow_unseen=True)
    assert (refused.verdict, refused.stage) == ("unverified", "executed"), refused.reason
    assert "not covered by the trials" in refused.reason
    assert "--allow unseen" in refused.reason
    assert allowed.verdict == "equal"
    assert "unseen code allowed" in allowed.reason


def _check_arguments(kernel: str, report: OracleReport) -> None:
    uses = {one.argument: (one.type, one.use, one.source) for one in report.arguments}
    kind = "u32" if kernel == "histogram" else "f32"
    if kernel == "update":
        assert uses == {"argument 0": (kind, "input and output", "signature")}
        return
    written = "input and output" if kernel == "histogram" else "output"
    assert uses == {
        "argument 0": (kind, written, "signature"),
        "argument 1": (kind, "input", "signature"),
    }
