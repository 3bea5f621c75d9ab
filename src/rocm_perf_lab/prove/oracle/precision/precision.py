"""How far the captured code's results in each trial may be off. Asked when bits differ."""

from __future__ import annotations

import functools
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


class Precision:
    """``reference`` makes code of higher precision, if there is any."""

    def __init__(
        self, baseline: Baseline, reference: Callable[[], Optional[VariantCode]], at_random: bool
    ) -> None:
        self._baseline = baseline
        self._make_reference = reference
        self._at_random = at_random  # the device rounds as it is told
        self._sharpness: dict[str, Sharpness] = {}  # by name of the trial
        self._bounds: dict[str, Mapping[int, Numbers]] = {}

    def sharpness(self, right: Right) -> Sharpness:
        """Of the first that is asked for alone, because most that differ are wrong at once; then of
        all trials so far: a process that plays all of them takes hardly longer."""
        if right.name not in self._sharpness:
            rights = self._baseline.rights
            pending = [one for one in rights if one.name not in self._sharpness]
            alone = not self._sharpness or right not in pending
            self._find([right] if alone else pending)
        return self._sharpness[right.name]

    def in_any_order(self, right: Right) -> Sharpness:
        """As far as any order of the captured code's terms explains it."""
        bound = self._bound(right)
        return widened(self.sharpness(right), bound, bound)

    def in_its_order(self, right: Right, code: VariantCode, found: Images) -> Sharpness:
        """As far as the candidate's own order of the same terms explains what it left."""
        baseline = self._baseline
        runs = [
            baseline.play([right.scene], code, variables=variables)[0]
            for variables in rounding_variables(baseline.buffers)
        ]
        own = own_rounding(found, runs, baseline.buffers)
        return widened(self.sharpness(right), own, self._bound(right))

    def _bound(self, right: Right) -> Mapping[int, Numbers]:
        baseline = self._baseline
        if right.name not in self._bounds:
            inputs = [one for one in baseline.buffers if not baseline.is_output(one)]
            played = baseline.play(term_scenes(right.scene, right.staged, inputs))
            found = order_bounds(right.played.images, played, baseline.buffers)
            self._bounds[right.name] = found
        return self._bounds[right.name]

    @functools.cached_property
    def _reference(self) -> Optional[VariantCode]:
        return self._make_reference()

    def _find(self, rights: Sequence[Right]) -> None:
        baseline = self._baseline
        scenes = [right.scene for right in rights]
        inputs = [one for one in baseline.buffers if not baseline.is_output(one)]
        runs = []
        for seed in range(1, RUNS + 1):
            others = [moved(right.scene, right.staged, inputs, seed) for right in rights]
            variables = rounding(seed) if self._at_random else {}
            runs.append(baseline.play(others, variables=variables))
        if baseline.varying:
            runs += [baseline.play(scenes, variables={ORDER_VARIABLE: str(n)}) for n in ORDERS]
        known: Sequence[Optional[Played]] = [None] * len(rights)
        if self._reference is not None:
            known = baseline.play(scenes, self._reference)
        for number, right in enumerate(rights):
            self._sharpness[right.name] = find_sharpness(
                right.played.images,
                [run[number] for run in runs],
                baseline.buffers,
                rounds_at_random=self._at_random,
                known=known[number],
            )
