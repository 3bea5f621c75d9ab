"""``rocm-perf llm-optimize``: a language model, the rules, or both alternately, behind the gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.optimize.document import ModelUseModel, OptimizeDocument
from rocm_perf_lab.optimize.gate.kernel_gate import KernelGate
from rocm_perf_lab.optimize.llm.conversation import Conversation
from rocm_perf_lab.optimize.llm.engine import LlmEngine
from rocm_perf_lab.optimize.prompt import PromptStyle
from rocm_perf_lab.optimize.providers.budget import Budget, Ceilings
from rocm_perf_lab.optimize.providers.provider import Provider, ReplyLimits
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.rules.registry import ALL_RULES
from rocm_perf_lab.optimize.rules.rule import Rule
from rocm_perf_lab.optimize.search.outcome import Consent, Engine, Report, run_engine
from rocm_perf_lab.optimize.search.rules_engine import not_applied_models
from rocm_perf_lab.optimize.search.search import RuleSearch, improve
from rocm_perf_lab.optimize.search.session import SearchSession


@dataclass(frozen=True)
class LlmRequest:
    """``provider`` is None for rules alone: nothing is sent anywhere then."""

    search: OptimizeRequest
    engine: Engine = "llm"
    provider: Optional[Provider] = None
    ceilings: Ceilings = field(default_factory=Ceilings)
    reply: ReplyLimits = field(default_factory=ReplyLimits)
    style: PromptStyle = field(default_factory=PromptStyle)

    def __post_init__(self) -> None:
        if (self.provider is None) != (self.engine == "rules"):
            raise UsageError("a model is asked by the engines llm and both, and only by them")


def llm_optimize(
    request: LlmRequest, agrees: Consent, rules: Sequence[Rule] = ALL_RULES
) -> OptimizeDocument:
    def run(session: SearchSession, report: Report) -> None:
        turns = Turns(request, rules, session)
        try:
            turns.take_all(session)
        finally:
            turns.tell(report)

    search = request.search
    if request.provider is not None:
        search = replace(search, hot_lines=True)
    return run_engine(search, request.engine, run, agrees)


class Turns:
    """Who works on the kernel that the session names. Rules give the same answer to the same code,
    so that they are asked once about it; a model may have another idea."""

    def __init__(self, request: LlmRequest, rules: Sequence[Rule], session: SearchSession) -> None:
        self._rules = () if request.engine == "llm" else tuple(rules)
        self._done = RuleSearch()
        self._seen: set[bytes] = set()  # bodies that the rules have looked at
        self._model_next = request.engine == "llm"
        self._ended: Optional[str] = None if request.provider else "no model is asked"
        self._conversation: Optional[Conversation] = None
        self._model: Optional[LlmEngine] = None
        if request.provider is not None:
            budget = Budget(request.ceilings)
            self._conversation = Conversation(
                request.provider, budget, session.evidence, session.log, request.reply
            )
            self._model = LlmEngine(self._conversation, request.search, request.style)

    def take_all(self, session: SearchSession) -> None:
        while True:
            gate = session.next_gate()
            if gate is None:
                return
            if not self._taken(gate) and self._ended is not None:
                session.give_up(gate)

    def tell(self, report: Report) -> None:
        report.not_applied += not_applied_models(self._done)
        if self._conversation is None:
            return
        budget, ended = self._conversation.budget, self._ended
        report.model = ModelUseModel(
            provider=self._conversation.provider.name,
            requests=budget.requests,
            prompt_tokens=budget.prompt_tokens,
            reply_tokens=budget.reply_tokens,
            counted=budget.counted,
            cost=budget.cost,
            ended=ended,
        )
        if ended is not None:
            report.notes.append(f"the model was not asked any more: {ended}")

    def _taken(self, gate: KernelGate) -> bool:
        """Whether something was accepted. Who has nothing to say leaves the turn to the other."""
        order = (self._ask, self._apply) if self._model_next else (self._apply, self._ask)
        for take in order:
            if take(gate):
                self._model_next = take == self._apply and self._model is not None
                return True
        return False

    def _apply(self, gate: KernelGate) -> bool:
        situation = gate.situation()
        body = situation.kernel.body.of(situation.data)
        if not self._rules or body in self._seen:
            return False
        self._seen.add(body)
        return improve(gate, self._rules, self._done)

    def _ask(self, gate: KernelGate) -> bool:
        if self._model is None or self._ended is not None:
            return False
        turn = self._model.turn(gate)
        self._ended = turn.ended
        return turn.accepted
