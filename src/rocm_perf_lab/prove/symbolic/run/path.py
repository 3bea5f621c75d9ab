"""What is known on one way through both kernels, and what remains to be shown for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.prove.symbolic.run.memory import Place
from rocm_perf_lab.prove.symbolic.terms.term import Term


@dataclass(frozen=True)
class Owed:
    """The changed kernel relies on this. ``used`` if it decides a branch or is an address; else it
    is only kept, as the original may keep the same."""

    need: Term
    used: bool
    line: Optional[int]


@dataclass(frozen=True)
class Access:
    """The changed kernel reads or writes here: the original has to, as well."""

    place: Place
    align: int
    line: Optional[int]


@dataclass
class Path:
    facts: dict[Term, None] = field(default_factory=dict)  # that hold on this way
    kept: set[Term] = field(default_factory=set)  # needs of values that the original keeps
    accessed: dict[Place, int] = field(default_factory=dict)  # by the original, with alignment
    owed: list[Owed] = field(default_factory=list)
    pending: list[Access] = field(default_factory=list)
    turns: dict[str, list[tuple[Term, bool]]] = field(
        default_factory=lambda: {"before": [], "after": []}
    )  # branches taken since both were last compared

    def fork(self) -> Path:
        return Path(
            dict(self.facts),
            set(self.kept),
            dict(self.accessed),
            list(self.owed),
            list(self.pending),
            {side: list(turns) for side, turns in self.turns.items()},
        )

    def known(self) -> tuple[Term, ...]:
        return tuple(self.facts)

    def learn(self, fact: Term) -> None:
        """A conjunction is known part by part, so that each part is found again."""
        for part in fact.args if fact.op == "all" else (fact,):
            self.facts[part] = None
