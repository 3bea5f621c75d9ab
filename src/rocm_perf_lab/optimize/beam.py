"""Combinations of rules for one kernel, with the replayed time as the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.candidate import Screened
from rocm_perf_lab.optimize.kernel_gate import KernelGate
from rocm_perf_lab.optimize.proposal import Proposal
from rocm_perf_lab.optimize.remark import remarked
from rocm_perf_lab.optimize.rules.apply import edited
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Rule, Situation

WIDTH, DEPTH = 3, 4
MOST_CANDIDATES = 48  # of one kernel between two profiles
_STEP = 1.005  # a version is built upon only if it is faster than what it was made from


@dataclass(frozen=True)
class NotApplied:
    """A rule that looked at a kernel and could not act."""

    kernel: str
    rule: str
    why: str
    location: str = ""


@dataclass(frozen=True)
class _State:
    situation: Situation
    speedup: float
    titles: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


class Beam:
    """``explored`` is everything that is faster than the best version, the fastest first."""

    def __init__(self, gate: KernelGate, rules: Sequence[Rule]) -> None:
        self._gate = gate
        self._rules = rules
        self._seen: set[bytes] = set()
        self._left = MOST_CANDIDATES
        self.not_applied: list[NotApplied] = []

    def explored(self) -> list[Screened]:
        root = _State(self._gate.situation(), self._gate.speedup)
        self._seen.add(_key(root.situation.kernel.body.of(root.situation.data)))
        found: list[Screened] = []
        level = [root]
        for _ in range(DEPTH):
            faster: list[tuple[Screened, _State]] = []
            for state in level:
                faster += self._followers(state)
            faster.sort(key=lambda pair: -pair[0].speedup)
            found += [screened for screened, _ in faster]
            level = [state for _, state in faster[:WIDTH]]
            if not level:
                break
        return sorted(found, key=lambda screened: -screened.speedup)

    def _followers(self, state: _State) -> Iterator[tuple[Screened, _State]]:
        for rule, change in self._changes(state):
            left = self._gate.seconds_left()
            if self._left <= 0 or (left is not None and left <= 0):
                return
            proposal = self._proposal(state, rule, change)
            if proposal is None:
                continue
            self._left -= 1
            screened = self._gate.screen(self._gate.candidate(proposal))
            if screened.attempt is not None:
                continue
            if screened.speedup < _STEP * state.speedup:
                why = "by replay, no faster than what it was made from"
                self._gate.set_aside(screened, self._gate.speedup, why)
                continue
            assert screened.unit is not None
            assert screened.kernel is not None
            situation = self._gate.situation_of(screened.unit, screened.kernel)
            titles, rules = (*state.titles, change.title), (*state.rules, rule.name)
            yield screened, _State(situation, screened.speedup, titles, rules)

    def _changes(self, state: _State) -> Iterator[tuple[Rule, Change]]:
        labels = state.situation.bottleneck.labels

        def first(rule: Rule) -> int:
            ranks = [place for place, label in enumerate(labels) if label in rule.helps]
            return min(ranks, default=len(labels))

        for rule in sorted(self._rules, key=first):
            for found in rule.look(state.situation):
                if isinstance(found, Change):
                    yield rule, found
                elif not state.rules:  # of the code as it is, not of every combination
                    self._note(rule, found)

    def _note(self, rule: Rule, found: CannotChange) -> None:
        where = "" if found.location is None else str(found.location)
        self.not_applied.append(NotApplied(self._gate.kernel, rule.name, found.why, where))

    def _proposal(self, state: _State, rule: Rule, change: Change) -> Optional[Proposal]:
        """None for a text that was tried before."""
        situation = state.situation
        kernel, file = situation.kernel, situation.unit.files[situation.kernel.path]
        body = edited(file.data, kernel.body, remarked(file, kernel, change).edits)
        plain = edited(file.data, kernel.body, change.edits)
        key = _key(plain)
        if key in self._seen:
            return None
        self._seen.add(key)
        title = "; ".join((*state.titles, change.title))
        return Proposal(
            kernel.qualified_name, body, title, change.reason, (*state.rules, rule.name)
        )


def _key(body: bytes) -> bytes:
    """Two texts that differ in white space only are one."""
    return b"".join(body.split())
