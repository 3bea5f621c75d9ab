"""A turn of the model against a gate that answers what the test wants."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

import pytest
from fake_gate import BETTER, PATH, FakeGate, accepted, rejected
from model_server import KEY

from rocm_perf_lab.errors import ProviderFailed
from rocm_perf_lab.optimize.llm.conversation import TRANSCRIPT, Conversation
from rocm_perf_lab.optimize.llm.engine import LlmEngine
from rocm_perf_lab.optimize.providers import Message, Reply, ReplyLimits, Usage
from rocm_perf_lab.optimize.providers.budget import Budget, Ceilings
from rocm_perf_lab.optimize.providers.choose import ProviderChoice, chosen
from rocm_perf_lab.optimize.refusal import Stage
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.prove.evidence import SearchLog, read_log, verify_bundle

REQUEST = OptimizeRequest(("./sums",), (Path(PATH),))
GOOD = f"I unrolled it.\n```cpp\n{BETTER}```\n"


@dataclass
class Scripted:
    """Says what it is told to say; raises what is an error."""

    says: list[Union[str, BaseException]]
    name: str = "scripted"
    secrets: tuple[str, ...] = (KEY,)
    heard: list[str] = field(default_factory=list)
    limits: list[ReplyLimits] = field(default_factory=list)

    def complete(self, messages: Sequence[Message], limits: ReplyLimits) -> Reply:
        self.heard.append(messages[-1].text)
        self.limits.append(limits)
        said = self.says.pop(0)
        if isinstance(said, BaseException):
            raise said
        return Reply(said, Usage(1000, 100, counted=True), "m", "stop")


class Bench:
    def __init__(self, folder: Path, *says: Union[str, BaseException], ceilings: Ceilings) -> None:
        self.provider = Scripted(list(says))
        self.budget = Budget(ceilings)
        self.folder = folder / "evidence"
        log = SearchLog(self.folder)
        self.engine = LlmEngine(Conversation(self.provider, self.budget, self.folder, log), REQUEST)

    def events(self) -> list[str]:
        log = read_log(self.folder / "search.jsonl")
        assert not log.problems
        return [line.event for line in log.lines]


def bench(
    tmp_path: Path,
    *says: Union[str, BaseException],
    ceilings: Ceilings = Ceilings(),  # noqa: B008
) -> Bench:
    return Bench(tmp_path, *says, ceilings=ceilings)


def test_a_good_reply_and_then_the_accepted_code_is_shown(tmp_path: Path) -> None:
    made = bench(tmp_path, GOOD, "no idea")
    gate = FakeGate([accepted()])
    assert made.engine.turn(gate).accepted
    assert gate.tried == [("reply 1", BETTER)]
    assert "#pragma unroll 4" not in made.provider.heard[0]
    turn = made.engine.turn(gate)
    assert (turn.accepted, turn.ended) == (False, None)
    assert "#pragma unroll 4" in made.provider.heard[1]
    assert "accept at stage G8" in made.provider.heard[1]
    assert gate.done[-1].stage is Stage.REPLY
    assert gate.done[-1].reason == "no-block: the reply has no fenced block"
    assert gate.done[-1].verdict == "reject"
    assert (made.budget.requests, made.budget.tokens) == (2, 2200)


def test_two_repairs_at_most_each_with_its_code_and_message(tmp_path: Path) -> None:
    wrong = [GOOD.replace("sum += in[i]", f"sum += inn{n}[i]") for n in range(3)]
    fails = [rejected(Stage.BUILD, "does-not-compile", f"error: no inn{n}") for n in range(3)]
    made, gate = bench(tmp_path, *wrong, GOOD), FakeGate(fails)
    assert not made.engine.turn(gate).accepted
    assert [title for title, _ in gate.tried] == [
        "reply 1",
        "reply 1, repair 1",
        "reply 1, repair 2",
    ]
    assert len(made.provider.heard) == 3
    assert "# Repair" not in made.provider.heard[0]
    for n in (0, 1):
        repair = made.provider.heard[n + 1].partition("# Repair")[2]
        assert f"sum += inn{n}[i]" in repair
        assert f"error: no inn{n}" in repair


def test_what_is_refused_for_another_reason_is_not_repaired(tmp_path: Path) -> None:
    made = bench(tmp_path, GOOD, GOOD)
    made.engine.turn(FakeGate([rejected(Stage.SCOPE, "signature")]))
    assert len(made.provider.heard) == 1


@pytest.mark.parametrize(
    ("kind", "ends"),
    [
        ("timeout", False),
        ("connection", False),
        ("too-long", False),
        ("protocol", False),
        ("refused", True),
    ],
)
def test_no_reply_is_no_verdict_about_a_candidate(tmp_path: Path, kind: str, ends: bool) -> None:
    made = bench(tmp_path, ProviderFailed(kind, f"the key {KEY} was no use"))
    gate = FakeGate()
    turn = made.engine.turn(gate)
    assert not turn.accepted
    assert (turn.ended is not None) == ends
    assert [a.verdict for a in gate.done] == ["inconclusive"]
    assert gate.done[0].reason == f"{kind}: the key <redacted> was no use"
    assert made.events() == ["asked", "no reply"]
    assert_clean(made.folder)


def test_a_used_up_transcript_ends_it_without_an_attempt(tmp_path: Path) -> None:
    made, gate = bench(tmp_path, ProviderFailed("exhausted", "all are used")), FakeGate()
    assert made.engine.turn(gate).ended == "all are used"
    assert gate.done == []


def test_a_budget_ends_it_before_anything_is_sent(tmp_path: Path) -> None:
    made = bench(tmp_path, GOOD, GOOD, ceilings=Ceilings(tokens=2000))
    gate = FakeGate([rejected(Stage.JUDGE, "slower"), rejected(Stage.JUDGE, "slower")])
    assert made.engine.turn(gate).ended is None
    assert made.provider.limits[0].tokens < 2000
    ended = made.engine.turn(gate).ended
    assert ended is not None
    assert ended.startswith("1100 of 2000 tokens of --max-tokens are used")
    assert len(made.provider.heard) == 1
    assert made.events() == ["asked", "answered", "not asked"]


def test_ctrl_c_keeps_what_was_asked(tmp_path: Path) -> None:
    made = bench(tmp_path, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        made.engine.turn(FakeGate())
    assert verify_bundle(made.folder / "asked-0001").intact


def test_every_word_is_kept_and_can_be_replayed_and_no_key_is(tmp_path: Path) -> None:
    leaky = GOOD.replace("I unrolled it.", f"Your key is {KEY}.")
    made = bench(tmp_path, leaky)
    gate = FakeGate([accepted()])
    made.engine.turn(gate)
    asked = made.folder / "asked-0001"
    assert verify_bundle(asked).intact
    sent = json.loads((asked / "prompt.json").read_text())
    assert sent["messages"][1]["text"] == made.provider.heard[0]
    assert (asked / "reply.txt").read_text() == leaky.replace(KEY, "<redacted>")
    usage = json.loads((asked / "usage.json").read_text())
    assert (usage["prompt_tokens"], usage["reply_tokens"], usage["counted"]) == (1000, 100, True)
    again = chosen(ProviderChoice(f"transcript:{made.folder / TRANSCRIPT}"))
    assert again.complete([], ReplyLimits()).text == (asked / "reply.txt").read_text()
    assert_clean(made.folder)


def assert_clean(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
