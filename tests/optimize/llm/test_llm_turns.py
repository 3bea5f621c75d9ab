"""Rules and model in turns: who works on a kernel when."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, Optional

import pytest
from fake_gate import PATH, SOURCE, FakeGate

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.optimize.llm import search
from rocm_perf_lab.optimize.llm.engine import Turn
from rocm_perf_lab.optimize.providers.transcript import Transcript
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.search.outcome import Engine, Report
from rocm_perf_lab.prove.evidence import SearchLog

PROVIDER = Transcript(Path("replies.jsonl"), ())
REQUEST = OptimizeRequest(("./sums",), (Path(PATH),))


class Played:
    """``rules`` and ``model`` say for each of their turns whether something is accepted; None ends
    the model."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        folder: Path,
        engine: Engine,
        rules: list[bool],
        model: list[Optional[bool]],
        iterations: int = 4,
    ) -> None:
        self.turns: list[str] = []
        self.given_up = 0
        self._gate, self._left = FakeGate(), iterations
        self._rules, self._model_says = rules, model
        monkeypatch.setattr(search, "improve", self._improve)
        monkeypatch.setattr(search.LlmEngine, "turn", lambda _engine, gate: self._model())
        self.evidence, self.log = folder, SearchLog(folder)
        request = search.LlmRequest(REQUEST, engine, None if engine == "rules" else PROVIDER)
        session: Any = self
        made = search.Turns(request, (object(),), session)  # type: ignore[arg-type]
        made.take_all(session)
        self.report = Report()
        made.tell(self.report)

    def next_gate(self) -> Optional[FakeGate]:
        self._left -= 1
        return self._gate if self._left >= 0 and not self.given_up else None

    def give_up(self, gate: FakeGate) -> None:
        self.given_up += 1

    def _improve(self, gate: FakeGate, *_rest: object) -> bool:
        self.turns.append("rules")
        return self._accept(self._rules.pop(0))

    def _model(self) -> Turn:
        self.turns.append("model")
        says = self._model_says.pop(0)
        return Turn(self._accept(bool(says)), "no money left" if says is None else None)

    def _accept(self, accepted: bool) -> bool:
        if accepted:
            self._gate.source = SOURCE.replace("sum = 0.0f", f"sum = {len(self.turns)}.0f")
        return accepted


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    return lambda *words, **more: Played(monkeypatch, tmp_path, *words, **more)


def test_they_take_turns_as_long_as_both_are_accepted(play: Any) -> None:
    played = play("both", [True, True], [True, True])
    assert played.turns == ["rules", "model", "rules", "model"]


def test_who_has_nothing_leaves_the_turn_to_the_other(play: Any) -> None:
    played = play("both", [False, False], [True, False, True], iterations=3)
    # The second time the code is new to the rules; the third time it is not.
    assert played.turns == ["rules", "model", "rules", "model", "model"]


def test_the_model_may_try_again_at_the_same_code(play: Any) -> None:
    assert play("llm", [], [False] * 4).turns == ["model"] * 4


def test_rules_alone_ask_nobody(play: Any) -> None:
    played = play("rules", [True, False], [])
    assert played.turns == ["rules", "rules"]
    assert played.given_up == 1
    assert played.report.model is None


def test_a_model_that_ended_leaves_the_rest_to_the_rules(play: Any) -> None:
    played = play("both", [False], [None])
    assert played.turns == ["rules", "model"]
    assert played.given_up == 1
    assert played.report.model.ended == "no money left"
    assert played.report.notes == ["the model was not asked any more: no money left"]


def test_an_engine_and_its_provider_belong_together() -> None:
    with pytest.raises(UsageError, match="only by them"):
        search.LlmRequest(REQUEST, "llm", None)
    with pytest.raises(UsageError, match="only by them"):
        search.LlmRequest(REQUEST, "rules", SimpleNamespace())  # type: ignore[arg-type]
