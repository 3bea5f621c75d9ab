"""Combinations of rules for one kernel, with the replayed time as the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.gate.candidate import Screened
from rocm_perf_lab.optimize.gate.kernel_gate import KernelGate
from rocm_perf_lab.optimize.proposal import Proposal
from rocm_perf_lab.optimize.rules.instances import assertion
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Rule, Situation
from rocm_perf_lab.optimize.rules.writing.apply import edited
from rocm_perf_lab.optimize.rules.writing.remark import remarked
from rocm_perf_lab.optimize.search.readings import Readings

WIDTH, DEPTH = 3, 4
MOST_CANDIDATES = 32  # of one kernel between two profiles
MOST_OF_A_RULE = 6  # changes of one rule to the code as it is; half of it to changed versions
_STEP = 1.01  # a version is built upon only if it is faster than what it was made from,
_CLOSE = 0.85  # and not much slower than the fastest of its generation
_ENOUGH = 1.05  # rules for other bottlenecks wait while those for this one gain so much; to the
# code as it is each of them makes its first change even so, for it may not fit what comes of others


@dataclass(frozen=True)
class NotApplied:
    """A rule that looked at a kernel and could not act."""

    kernel: str
    rule: Optional[str]  # None: all of them
    why: str
    location: str = ""


@dataclass(frozen=True)
class _State:
    situation: Situation
    speedup: float
    titles: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    launch_bounds: Optional[int] = None  # that were not there before the search


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
        if root.situation.types_unknown is not None:
            why = root.situation.types_unknown
            self.not_applied.append(NotApplied(self._gate.kernel, None, why))
        self._seen.add(_key(root.situation.kernel.body.of(root.situation.data)))
        found: list[Screened] = []
        level = [root]
        for _ in range(DEPTH):
            faster: list[tuple[Screened, _State]] = []
            for state in level:
                faster += self._followers(state)
            faster.sort(key=lambda pair: -pair[0].speedup)
            found += [screened for screened, _ in faster]
            if not faster:
                break
            least = _CLOSE * faster[0][0].speedup
            level = [state for _, state in faster[:WIDTH] if state.speedup >= least]
        if self._left == MOST_CANDIDATES and not any(n.rule for n in self.not_applied):
            why = "no rule is about anything in it"
            self.not_applied.append(NotApplied(self._gate.kernel, None, why))
        return sorted(found, key=lambda screened: -screened.speedup)

    def _followers(self, state: _State) -> Iterator[tuple[Screened, _State]]:
        readings = Readings(state.situation, self._gate.situation_with)
        most = MOST_OF_A_RULE // 2 if state.rules else MOST_OF_A_RULE
        best = 0.0
        for rules in self._groups(state.situation):
            for rule in rules:
                for situation, change in self._changes(state, readings, rule, most):
                    follower = self._follower(state, situation, rule, change)
                    if follower is not None:
                        best = max(best, follower[0].speedup)
                        yield follower
            if best >= _ENOUGH * state.speedup:
                if state.rules:
                    return
                most = 1

    def _follower(
        self, state: _State, read: Situation, rule: Rule, change: Change
    ) -> Optional[tuple[Screened, _State]]:
        left = self._gate.seconds_left()
        if self._left <= 0 or (left is not None and left <= 0):
            return None
        proposal = self._proposal(state, read, rule, change)
        if proposal is None:
            return None
        self._left -= 1
        screened = self._gate.screen(self._gate.candidate(proposal))
        if screened.attempt is not None:
            return None
        if screened.speedup < _STEP * state.speedup:
            why = "by replay, no faster than what it was made from"
            self._gate.set_aside(screened, self._gate.speedup, why)
            return None
        assert screened.unit is not None
        assert screened.kernel is not None
        situation = self._gate.situation_of(screened.unit, screened.kernel)
        titles, rules = (*state.titles, change.title), (*state.rules, rule.name)
        bounds = change.launch_bounds or state.launch_bounds
        return screened, _State(situation, screened.speedup, titles, rules, bounds)

    def _groups(self, situation: Situation) -> Iterator[list[Rule]]:
        """Those for the first bottleneck, for the second, and for none of them."""
        labels = situation.bottleneck.labels

        def rank(rule: Rule) -> int:
            ranks = [place for place, label in enumerate(labels) if label in rule.helps]
            return min(ranks, default=len(labels))

        for place in range(len(labels) + 1):
            yield [rule for rule in self._rules if rank(rule) == place]

    def _changes(
        self, state: _State, readings: Readings, rule: Rule, most: int
    ) -> Iterator[tuple[Situation, Change]]:
        for reading in readings.all:
            for found in reading.look(rule):
                if isinstance(found, CannotChange):
                    if not state.rules:  # of the code as it is, not of every combination
                        self._note(rule, readings.reason(found))
                elif most > 0:
                    most -= 1
                    yield reading.situation, found

    def _note(self, rule: Rule, found: Optional[CannotChange]) -> None:
        if found is None:
            return
        where = "" if found.location is None else str(found.location)
        self.not_applied.append(NotApplied(self._gate.kernel, rule.name, found.why, where))

    def _proposal(
        self, state: _State, situation: Situation, rule: Rule, change: Change
    ) -> Optional[Proposal]:
        """None for a text that was tried before."""
        kernel, file = situation.kernel, situation.unit.files[situation.kernel.path]
        asserted = assertion(situation, change)
        written = (*asserted, *remarked(file, kernel, change).edits)
        body = edited(file.data, kernel.body, written)
        plain = edited(file.data, kernel.body, change.edits)
        bounds = change.launch_bounds or state.launch_bounds
        key = _key(plain, bounds)
        if key in self._seen:
            return None
        self._seen.add(key)
        title = "; ".join((*state.titles, change.title))
        return Proposal(
            kernel.qualified_name, body, title, change.reason, bounds, (*state.rules, rule.name)
        )


def _key(body: bytes, launch_bounds: Optional[int] = None) -> bytes:
    """Two texts that differ in white space only are one."""
    return b"%d " % (launch_bounds or 0) + b"".join(body.split())
