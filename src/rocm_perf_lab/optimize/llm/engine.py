"""One turn of the model: a question, its reply through the gate, and repairs of what does not
compile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.gate.gate import Gate
from rocm_perf_lab.optimize.gate.reply import read_reply
from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.llm.conversation import Conversation, NoReply
from rocm_perf_lab.optimize.prompt import PromptStyle, Repair, build_prompt, messages_of
from rocm_perf_lab.optimize.refusal import Outcome, Refusal, Stage
from rocm_perf_lab.optimize.request import OptimizeRequest

REPAIRS = 2
PRECISION = "precision"  # of --allow


@dataclass(frozen=True)
class Turn:
    """``ended`` says why there is no use in asking again; None when there is."""

    accepted: bool
    ended: Optional[str] = None


class LlmEngine:
    def __init__(
        self,
        conversation: Conversation,
        request: OptimizeRequest,
        style: PromptStyle = PromptStyle(),  # noqa: B008 (it is frozen)
    ) -> None:
        self._conversation, self._request, self._style = conversation, request, style
        self._turns = 0

    def turn(self, gate: Gate) -> Turn:
        """The current best code is what the model is shown; the gate decides about its reply."""
        self._turns += 1
        repair: Optional[Repair] = None
        for number in range(REPAIRS + 1):
            title = f"reply {self._turns}" + (f", repair {number}" if number else "")
            prompt = build_prompt(gate, self._request, self._style, repair)
            self._request.listener.doing(f"asking {self._conversation.provider.name}")
            reply = self._conversation.ask(messages_of(prompt))
            if isinstance(reply, NoReply):
                return self._unanswered(gate, title, reply)
            block = read_reply(reply.text)
            if isinstance(block, Refusal):
                gate.note_refusal(title, block)
                return Turn(accepted=False)
            who = f"proposed by {self._conversation.provider.name}"
            attempt = gate.try_definition(block, title, who, self._allowed())
            if not _does_not_compile(attempt):
                return Turn(attempt.accepted)
            repair = Repair(block, attempt.compiler or attempt.reason)
        return Turn(accepted=False)

    def _allowed(self) -> Allowances:
        """What the user asked for, never what a reply does."""
        return Allowances(precision=PRECISION in self._request.allowed)

    def _unanswered(self, gate: Gate, title: str, reply: NoReply) -> Turn:
        """No candidate was wrong: nothing is known about any."""
        if reply.kind not in ("budget", "exhausted"):
            refusal = Refusal(Stage.REPLY, reply.kind, reply.why, outcome=Outcome.HELD)
            gate.note_refusal(title, refusal)
        return Turn(accepted=False, ended=reply.why if reply.is_final else None)


def _does_not_compile(attempt: Attempt) -> bool:
    return attempt.stage is Stage.BUILD and not attempt.accepted
