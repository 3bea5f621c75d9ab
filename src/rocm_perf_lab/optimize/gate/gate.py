"""The one way from a proposal to accepted code: every stage, in order, whoever proposes.

What an engine sees is ``Gate``: the current best code of one kernel as a ``Situation``, and
``try_proposal``. An accepted proposal is the current best from then on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Protocol

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.proposal import Proposal
from rocm_perf_lab.optimize.refusal import Refusal
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.prove.evidence import SearchLog


class Gate(Protocol):
    """Of one kernel. Each answer is in the log and on disk before it is given."""

    @property
    def kernel(self) -> str:
        """Its qualified name."""
        ...

    @property
    def profiled(self) -> str:
        """Its name in profiles."""
        ...

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All of the search so far, of other kernels too."""
        ...

    def situation(self) -> Situation:
        """The current best code, and what is known about it: limits, launch, allowances."""
        ...

    @property
    def profile(self) -> ProfileDocument:
        """Of the program with the current best code as it was when this gate was made: times,
        resources, roofline and analysis, with hot lines where the build has line tables."""
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
        whatever is next to it: that is for the guards to see."""
        ...

    def note_refusal(self, title: str, refusal: Refusal) -> Attempt:
        """A proposal that is none, such as a reply without a block: logged as an attempt."""
        ...


class Session(Protocol):
    """A search over the kernels of one application; ``opened_session(request)`` makes one."""

    @property
    def evidence(self) -> Path:
        """The folder of the search: bundles of attempts, and whatever an engine keeps."""
        ...

    @property
    def log(self) -> SearchLog:
        """The only one of the search: an engine's own events go into it, too."""
        ...

    def next_gate(self) -> Optional[Gate]:
        """Profiles the current best program and chooses the kernel that is most worth working on.
        None when none is left, the budget is used up or ``max_iters`` were asked for."""
        ...

    def give_up(self, gate: Gate) -> None:
        """This kernel gives no further gain; another one is chosen next."""
        ...
