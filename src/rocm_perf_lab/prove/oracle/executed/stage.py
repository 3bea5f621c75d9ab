"""The question whether all code of a change was executed, for one candidate."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.prove.oracle.executed.code import (
    captured_listing,
    coverage_of,
    variant_listing,
)
from rocm_perf_lab.prove.oracle.executed.plain import SAID
from rocm_perf_lab.prove.oracle.executed.solver.ask import INSTALL, Solver, installed
from rocm_perf_lab.prove.oracle.executed.unseen import (
    Code,
    Coverage,
    Unseen,
    constants,
    never_executed,
    not_in,
    that_show_more,
    unseen,
)
from rocm_perf_lab.prove.oracle.report import Stage
from rocm_perf_lab.prove.oracle.scene import Departures, Scene
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.coverage import united
from rocm_perf_lab.replay.variant import VariantCode

NAME = "executed"
_MOST_OWN_CONSTANTS, _MOST_CONSTANTS = 24, 32


class ExecutedCode:
    """Collects what trials executed of a candidate and of the code whose place it takes: the
    captured one, or ``old``."""

    def __init__(
        self,
        prefix: Prefix,
        capture: Capture,
        code: VariantCode,
        old: Optional[VariantCode] = None,
    ) -> None:
        self._prefix, self._capture, self._code, self.old = prefix, capture, code, old
        self._executed: Coverage = {}
        self._captured: Coverage = {}
        self._by_scene: list[tuple[Scene, Coverage]] = []
        self._told: set[str] = set()  # names of scenes
        self._told_ways: Counter[tuple[int, int]] = Counter()  # offsets and what was seen there
        self._unseen: Optional[tuple[Sequence[Unseen], Sequence[Unseen]]] = None
        self._differed: set[Departures] = set()

    def differed(self, departures: Departures) -> None:
        """The candidate is not wrong for it, because no host may launch that. But code of its own
        may run there, and what that leaves with one content may be right by chance: nothing counts
        that ran in launches that depart from those of hosts in this way."""
        if departures in self._differed:
            return
        self._differed.add(departures)
        self._by_scene = [one for one in self._by_scene if self._counts(one[0])]
        self._executed = united(*(coverage for _, coverage in self._by_scene))
        self._unseen = None

    def _counts(self, scene: Scene) -> bool:
        return not any(departures <= scene.departures for departures in self._differed)

    def ran(self, scenes: Iterable[tuple[Scene, Path]]) -> None:
        """What scenes left of the candidate's coverage."""
        found = [(scene, coverage_of([folder])) for scene, folder in scenes if self._counts(scene)]
        self._executed = united(self._executed, *(coverage for _, coverage in found))
        self._by_scene += found
        self._unseen = None

    def captured_code(self, covered: Coverage) -> None:
        """What further scenes executed of the other code."""
        self._captured = united(self._captured, covered)
        self._unseen = None

    @functools.cached_property
    def _codes(self) -> tuple[Code, Code]:
        """Of the captured code and of the candidate."""
        if self.old is not None:
            old = variant_listing(self._prefix, self.old)
        else:
            old = captured_listing(self._prefix, self._capture)
        return Code.of(old), Code.of(variant_listing(self._prefix, self._code))

    @functools.cached_property
    def _solvers(self) -> tuple[Solver, Solver]:
        old, new = self._codes
        return Solver(old.listing), Solver(new.listing)

    def _both(self) -> tuple[Sequence[Unseen], Sequence[Unseen]]:
        if self._unseen is None:
            old, new = self._codes
            self._unseen = unseen(old, self._captured), unseen(new, self._executed)
        return self._unseen

    def new_unseen(self) -> tuple[Unseen, ...]:
        """Of the candidate, which the captured code does not have."""
        old, new = self._both()
        return self._solvers[1].possible(not_in(new, old))

    def lost_unseen(self) -> tuple[Unseen, ...]:
        """Of the captured code, which the candidate does not have: whole instructions, because
        a question that has one answer only may well be left out."""
        old, new = self._both()
        return self._solvers[0].possible(not_in(never_executed(old), new))

    def unseen_count(self) -> int:
        return len(self.new_unseen()) + len(self.lost_unseen())

    def is_all_seen(self) -> bool:
        return self.unseen_count() == 0

    def near_misses(self, most: int) -> list[Scene]:
        """Scenes in which the candidate came to a question that had one answer only; what was never
        executed lies behind such a question. Each is told once: of those that showed the question
        differently in turns, the latest and the first first."""
        wanted = [one.offset for one in self.new_unseen() if one.offset in self._executed]
        found: dict[str, Scene] = {}
        for turn in range(most):
            for offset in wanted:
                ways = self._untold_by_facts(offset, found)
                if ways and len(found) < most:
                    facts = min(ways, key=lambda one: self._told_ways[offset, one])
                    self._told_ways[offset, facts] += 1
                    scene = ways[facts][-1 if turn % 2 == 0 else 0]
                    found[scene.name] = scene
        self._told |= found.keys()
        return list(found.values())

    def _untold_by_facts(
        self, offset: int, but: Mapping[str, Scene]
    ) -> Mapping[int, Sequence[Scene]]:
        ways: dict[int, list[Scene]] = {}
        for scene, seen in self._by_scene:
            if offset in seen and scene.name not in self._told and scene.name not in but:
                ways.setdefault(seen[offset].facts, []).append(scene)
        return ways

    def that_show_all(self) -> list[Scene]:
        """Few scenes in which all is executed that any scene has executed of the candidate."""
        coverages = [coverage for _, coverage in self._by_scene]
        return [self._by_scene[number][0] for number in that_show_more(coverages)]

    def is_worth_a_search(self) -> bool:
        """Whether something of either code, or a side of it, has not been seen."""
        old, new = self._both()
        return bool(not_in(new, old) or not_in(old, new))

    @functools.cached_property
    def own_constants(self) -> tuple[int, ...]:
        """Numbers in the code of the candidate that the other code does not have."""
        old, new = (constants(code.listing) for code in self._codes)
        return tuple(one for one in new if one not in old)[:_MOST_OWN_CONSTANTS]

    @property
    def other_constants(self) -> tuple[int, ...]:
        old, new = (constants(code.listing) for code in self._codes)
        others = dict.fromkeys([*new, *old])
        return tuple(one for one in others if one not in self.own_constants)[:_MOST_CONSTANTS]

    def stage(self, allowed: bool) -> Stage:
        new, lost = self.new_unseen(), self.lost_unseen()
        if not new and not lost:
            how = "" if self.old is None else f" ({SAID})"
            return Stage(NAME, "pass", f"all code of the change executed{how}")
        if new:
            said = (
                f"{len(new)} instruction(s) of the candidate not covered by the trials, "
                f"first: {new[0]}"
            )
        else:
            said = (
                f"{len(lost)} instruction(s) of the captured code that the candidate does not have "
                f"were not covered by the trials, first: {lost[0]}"
            )
        if allowed:
            return Stage(NAME, "pass", f"unseen code allowed: {said}")
        hint = "" if installed() is not None else f"; {INSTALL}"
        return Stage(NAME, "unverified", f"{said}; --allow unseen accepts that{hint}")
