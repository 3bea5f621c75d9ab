"""How far the captured code's results in each trial may be off. Asked when bits differ."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Optional

from rocm_perf_lab.prove.oracle.baseline import ORDERS, Baseline
from rocm_perf_lab.prove.oracle.comparison import Images, Sharpness
from rocm_perf_lab.prove.oracle.numbers.element_type import Numbers
from rocm_perf_lab.prove.oracle.outputs import Right
from rocm_perf_lab.prove.oracle.play import ORDER_VARIABLE, Played
from rocm_perf_lab.prove.oracle.precision.order_of_terms import (
    order_bounds,
    own_rounding,
    rounding_variables,
    term_scenes,
    widened,
)
from rocm_perf_lab.prove.oracle.precision.sharpness import RUNS, find_sharpness, moved, rounding
from rocm_perf_lab.replay.variant import VariantCode

_RIGHTS_AT_ONCE = 8  # trials whose terms are measured in one process


class Precision:
    """``reference`` makes code of higher precision, if there is any."""

    def __init__(
        self, baseline: Baseline, reference: Callable[[], Optional[VariantCode]], at_random: bool
    ) -> None:
        self._baseline = baseline
        self._make_reference = reference
        self.rounds_at_random = at_random  # the device rounds as it is told
        # By name of the trial.
        self._moved: dict[str, list[Played]] = {}
        self._orders: dict[str, list[Played]] = {}
        self._known: dict[str, Optional[Played]] = {}
        self._sharpness: dict[str, Sharpness] = {}
        self._bounds: dict[str, Mapping[int, Numbers]] = {}
        self._own: dict[str, Sequence[Played]] = {}  # of the present candidate

    def sharpness(self, right: Right, runs: int = RUNS) -> Sharpness:
        """From at least so many runs: what passes with fewer passes with all."""
        self.find([right], runs)
        return self._sharpness[right.name]

    def in_any_order(self, right: Right) -> Sharpness:
        """As far as any order of the captured code's terms explains it."""
        bound = self._bound(right)
        return widened(self.sharpness(right), bound, bound)

    def in_its_order(self, right: Right, code: VariantCode, found: Images) -> Sharpness:
        """As far as the candidate's own order of the same terms explains what it left."""
        if right.name not in self._own:
            self.look_ahead([right], code)
        own = own_rounding(found, self._own[right.name], self._baseline.buffers)
        return widened(self.sharpness(right), own, self._bound(right))

    def look_ahead(self, rights: Sequence[Right], code: VariantCode) -> None:
        """Plays what ``in_its_order`` needs of all these: together it takes hardly longer."""
        self._find_bounds(rights)
        missing = [one for one in rights if one.name not in self._own]
        scenes = [one.scene for one in missing]
        runs = [
            self._baseline.play(scenes, code, variables=variables)
            for variables in rounding_variables(self._baseline.buffers)
        ]
        for number, one in enumerate(missing):
            self._own[one.name] = [run[number] for run in runs]

    def forget_candidate(self) -> None:
        self._own.clear()

    def _bound(self, right: Right) -> Mapping[int, Numbers]:
        if right.name not in self._bounds:
            self._find_bounds([right])
        return self._bounds[right.name]

    def _find_bounds(self, rights: Sequence[Right]) -> None:
        baseline = self._baseline
        missing = [one for one in rights if one.name not in self._bounds]
        for first in range(0, len(missing), _RIGHTS_AT_ONCE):
            batch = missing[first : first + _RIGHTS_AT_ONCE]
            scenes = [
                term_scenes(one.scene, one.staged, baseline.inputs_of(one.scene)) for one in batch
            ]
            played = iter(baseline.play([scene for each in scenes for scene in each]))
            for one, each in zip(batch, scenes):
                runs = list(itertools.islice(played, len(each)))
                found = order_bounds(one.played.images, runs, baseline.buffers)
                self._bounds[one.name] = found

    @functools.cached_property
    def _reference(self) -> Optional[VariantCode]:
        return self._make_reference()

    def find(self, wanted: Sequence[Right], runs: int) -> None:
        """Of several trials: a process that plays all of them takes hardly longer."""
        rights = [one for one in wanted if len(self._moved.get(one.name, ())) < runs]
        self._find_once([one for one in rights if one.name not in self._moved])
        for seed in range(1, runs + 1):
            missing = [one for one in rights if len(self._moved[one.name]) < seed]
            for one, played in zip(missing, self._play_moved(missing, seed)):
                self._moved[one.name].append(played)
        for right in rights:
            self._sharpness[right.name] = find_sharpness(
                right.played.images,
                [*self._moved[right.name], *self._orders[right.name]],
                self._baseline.buffers,
                rounds_at_random=self.rounds_at_random,
                known=self._known[right.name],
            )

    def _play_moved(self, rights: Sequence[Right], seed: int) -> Sequence[Played]:
        inputs_of = self._baseline.inputs_of
        others = [moved(one.scene, one.staged, inputs_of(one.scene), seed) for one in rights]
        variables = rounding(seed) if self.rounds_at_random else {}
        return self._baseline.play(others, variables=variables) if others else []

    def _find_once(self, rights: Sequence[Right]) -> None:
        """What does not depend on how often inputs move."""
        if not rights:
            return
        baseline, scenes = self._baseline, [right.scene for right in rights]
        orders = ORDERS if baseline.varying else ()
        ordered = [baseline.play(scenes, variables={ORDER_VARIABLE: str(n)}) for n in orders]
        known: Sequence[Optional[Played]] = [None] * len(rights)
        if self._reference is not None:
            known = baseline.play(scenes, self._reference)
        for number, right in enumerate(rights):
            self._moved[right.name] = []
            self._orders[right.name] = [run[number] for run in ordered]
            self._known[right.name] = known[number]
