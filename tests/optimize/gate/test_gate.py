"""One kernel's gate on the virtual device: what is wrong ends at its stage, nothing is touched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from search_support import LOOP, SUM_IN_REGISTER, tree_hash, write_project

from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.gate.kernel_gate import KernelGate
from rocm_perf_lab.optimize.proposal import Proposal
from rocm_perf_lab.optimize.refusal import Refusal, Stage
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.rules.rule import LAUNCH_BOUNDS
from rocm_perf_lab.optimize.search.session import SearchSession, opened_session
from rocm_perf_lab.prove.evidence import read_log, verify_bundle

# What replaces the loop of the kernel; where it ends, and a part of why.
ENDS = {
    "side effect": (LOOP + '  printf("%d", i);\n', Stage.DENYLIST, "reject", "printf"),
    "does not compile": (LOOP + "  out[i] = nothing;\n", Stage.BUILD, "reject", "nothing"),
    "no stores": ("  (void)in;\n", Stage.ARTIFACT, "reject", "stores"),
    "wrong result": (LOOP.replace("HALF", "0.25f"), Stage.ORACLE, "reject", "captured memory"),
    "wrong at the end": (
        SUM_IN_REGISTER.replace("= sum;", "= i == n - 1 && n % 2 ? 0.0f : sum;"),
        Stage.ORACLE,
        "reject",
        "argument 2 = 102",
    ),
    "the same": (LOOP + "  // nothing\n", Stage.SCOPE, "no_change", "the same code"),
    "renamed": (LOOP.replace("k", "step"), Stage.JUDGE, "no_change", "1.000x by replay"),
    "slower": (LOOP + LOOP.replace("HALF", "0.0f"), Stage.JUDGE, "reject", "by replay"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("project")
    write_project(made)
    return made


@pytest.fixture(scope="module")
def session(
    folder: Path, virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SearchSession]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        request = OptimizeRequest(
            argv=("./poly", "1024"),
            sources=(Path("poly.hip"),),
            rocm=virtual_rocm,
            allowed=frozenset({LAUNCH_BOUNDS}),
            evidence=tmp_path_factory.mktemp("kept") / "evidence",
        )
        with opened_session(request) as opened:
            yield opened


@pytest.fixture(scope="module")
def gate(session: SearchSession) -> KernelGate:
    found = session.next_gate()
    assert found is not None
    return found


def proposed(gate: KernelGate, loop: str) -> Attempt:
    situation = gate.situation()
    body = situation.kernel.body.of(situation.data).decode().replace(LOOP, loop)
    return gate.try_proposal(Proposal(gate.kernel, body.encode(), "a change", "a reason"))


def test_the_situation_is_that_of_the_captured_launch(gate: KernelGate) -> None:
    launch = gate.situation().launch
    assert gate.kernel == "poly"
    assert launch is not None
    assert (launch.grid, launch.block) == ((4, 1, 1), (256, 1, 1))
    assert launch.arguments == {"n": 1024, "terms": 16}
    assert gate.situation().bottleneck.labels


@pytest.mark.parametrize("name", ENDS)
def test_it_ends_at_its_stage_and_leaves_evidence(
    gate: KernelGate, session: SearchSession, folder: Path, name: str
) -> None:
    loop, stage, verdict, reason = ENDS[name]
    before, best = tree_hash(folder), dict(session.workshop.best)
    attempt = proposed(gate, loop)
    assert (attempt.stage, attempt.verdict) == (stage, verdict), attempt.reason
    assert reason in attempt.reason
    assert tree_hash(folder) == before
    assert session.workshop.best == best == {}
    assert attempt.bundle is not None
    report = verify_bundle(session.evidence / attempt.bundle)
    assert report.intact, report.problems
    last = read_log(session.log.path).lines[-1]
    assert (last.event, last.content["stage"]) == ("refused", stage.value)


@pytest.mark.parametrize(("threads", "stage"), [(256, Stage.JUDGE), (128, Stage.SCOPE)])
def test_launch_bounds_are_those_of_the_trace(gate: KernelGate, threads: int, stage: Stage) -> None:
    """Allowed by the request, agreed with by the text and the machine code; no other number is."""
    situation = gate.situation()
    assert situation.largest_block == 256
    body = situation.kernel.body.of(situation.data)
    proposal = Proposal(gate.kernel, body, "bounds", "a reason", launch_bounds=threads)
    attempt = gate.try_proposal(proposal)
    assert attempt.stage is stage, attempt.reason
    assert attempt.verdict == ("no_change" if stage is Stage.JUDGE else "reject")


def test_what_stands_beside_the_kernel_is_seen(gate: KernelGate) -> None:
    situation = gate.situation()
    text = situation.kernel.span.of(situation.data).decode()
    attempt = gate.try_definition("#define HALF 0.25f\n" + text, "beside", "a reason")
    assert attempt.stage is Stage.SCOPE
    changed = text.replace("int terms)", "int terms, int more)")
    assert gate.try_definition(changed, "signature", "").stage is Stage.SCOPE


def test_a_reply_that_is_none_is_an_attempt(gate: KernelGate, session: SearchSession) -> None:
    refusal = Refusal(Stage.REPLY, "no-block", "the reply has no fenced block")
    attempt = gate.note_refusal("reply 1", refusal)
    assert gate.attempts[-1] == attempt
    assert attempt.reason == "no-block: the reply has no fenced block"
    assert read_log(session.log.path).lines[-1].content["stage"] == "reply"


def test_a_source_that_changes_meanwhile_ends_the_judgement(gate: KernelGate, folder: Path) -> None:
    """It has to come before the application runs: what was proven is about other text."""
    header = folder / "part.h"
    was = header.read_bytes()
    header.write_bytes(was + b"// edited\n")
    try:
        attempt = proposed(gate, SUM_IN_REGISTER)
    finally:
        header.write_bytes(was)
    assert (attempt.stage, attempt.verdict) == (Stage.TRUST, "reject")
    assert "part.h changed since the baseline was sealed" in attempt.reason
