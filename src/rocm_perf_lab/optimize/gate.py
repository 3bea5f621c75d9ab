"""The one way from a proposal to accepted code: every stage, in order, whoever proposes.

What an engine sees is ``Gate``: the current best code of one kernel as a ``Situation``, and
``try_proposal``. An accepted proposal is the current best from then on.
"""

from __future__ import annotations

from typing import Optional, Protocol

from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.proposal import Proposal
from rocm_perf_lab.optimize.refusal import Refusal
from rocm_perf_lab.optimize.rules.rule import Situation


class Gate(Protocol):
    """Of one kernel. Each answer is in the log and on disk before it is given."""

    @property
    def kernel(self) -> str:
        """Its qualified name."""
        ...

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All of the search so far, of other kernels too."""
        ...

    def situation(self) -> Situation:
        """The current best code, and what is known about it: limits, launch, allowances."""
        ...

    def seconds_left(self) -> Optional[float]:
        """Of the budget; None without one."""
        ...

    def try_proposal(self, proposal: Proposal) -> Attempt:
        """Through all stages; kept as the current best when it is accepted."""
        ...

    def try_definition(
        self, definition: str, title: str, reason: str, allowed: Allowances = ...
    ) -> Attempt:
        """The same for the text of a reply's block, the whole definition of the kernel and
        whatever stands beside it: that is for the guards to see."""
        ...

    def note_refusal(self, title: str, refusal: Refusal) -> Attempt:
        """A proposal that is none, such as a reply without a block: logged as an attempt."""
        ...


class Session(Protocol):
    """A search over the kernels of one application; ``opened_session(request)`` makes one."""

    def next_gate(self) -> Optional[Gate]:
        """Profiles the current best program and chooses the kernel that is most worth working on.
        None when none is left, the budget is used up or ``max_iters`` were asked for."""
        ...

    def give_up(self, gate: Gate) -> None:
        """Nothing more is to be had from this kernel; another one is chosen next."""
        ...
