"""Whether what a candidate left in one trial is right: bit by bit, or but for rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rocm_perf_lab.prove.oracle.baseline import Baseline
from rocm_perf_lab.prove.oracle.blame import overwritten, place_of
from rocm_perf_lab.prove.oracle.comparison import Images, Sharpness, compare
from rocm_perf_lab.prove.oracle.outputs import Right
from rocm_perf_lab.prove.oracle.play import LeftMemory, Played
from rocm_perf_lab.prove.oracle.precision.precision import Precision
from rocm_perf_lab.prove.oracle.precision.sharpness import FEW_RUNS, RUNS
from rocm_perf_lab.prove.oracle.report import Stage
from rocm_perf_lab.replay.variant import VariantCode


class Comparing:
    """Of one candidate at a time."""

    def __init__(self, baseline: Baseline, precision: Precision, exact: bool) -> None:
        self.baseline, self._precision, self._exact = baseline, precision, exact
        self.buffers = baseline.buffers
        # By trial, where the present candidate's order of terms counts.
        self.orders_of_terms: dict[str, Sharpness] = {}

    def begin(self) -> None:
        self.orders_of_terms = {}
        self._precision.forget_candidate()

    def judged(self, right: Right, played: Played, code: VariantCode) -> Stage:
        name = right.scene.kind
        if played.failure is not None:
            return Stage(name, "fail", f"with {right.name}: {played.failure}")
        touched = self.baseline.touched_guards(right, played.images)
        if touched:
            guard = touched[0]
            changed = np.flatnonzero(played.images[guard] != right.before(guard))
            where = place_of(guard + int(changed[0]), self.buffers)
            return Stage("guards", "fail", f"with {right.name}: it writes {where}")
        stage = self.compare(name, right, right.played.images, played.images)
        if stage.verdict == "fail" and not self._exact:
            stage = self._in_its_own_order(stage, right, played.images, code)
        if stage.verdict != "fail":
            return stage
        own = self.baseline.own_buffers
        written = {one.place for one in own if self.baseline.writes(one)}
        read_only = [one for one in self.buffers if one.place not in written]
        stray = overwritten(read_only, right.before, right.played.images, played.images)
        if stray is not None:
            return replace(stage, name="inputs unchanged", detail=f"with {right.name}: {stray}")
        return replace(stage, detail=f"with {right.name}: {stage.detail}")

    def _in_its_own_order(
        self, stage: Stage, right: Right, found: Images, code: VariantCode
    ) -> Stage:
        """The candidate may sum the same terms in a worse order. Whether any order would do is
        asked first: that is known once for all candidates."""
        args = (stage.name, right.played.images, found, right.before, self.buffers)
        if not self._precision.rounds_at_random:
            return stage
        if compare(*args, self._precision.in_any_order(right)).verdict == "fail":
            return stage
        sharpness = self._precision.in_its_order(right, code, found)
        self.orders_of_terms[right.name] = sharpness
        return compare(*args, sharpness)

    def find_sharpness(self, pending: Sequence[tuple[Right, Played]]) -> None:
        """One trial was right but for its rounding: many more will be."""
        ended = [(right, played.images) for right, played in pending if played.failure is None]
        rounded = [one for one in ended if not _is_same(one[0].played.images, one[1])]
        self._precision.find([right for right, _ in rounded], FEW_RUNS)
        beyond = [one for one in rounded if not self._is_explained(*one, FEW_RUNS)]
        self._precision.find([right for right, _ in beyond], RUNS)

    def _is_explained(self, right: Right, found: Images, runs: int) -> bool:
        """By the rounding that is seen in so many runs."""
        return self._within("", right, right.played.images, found, runs).verdict == "pass"

    def look_ahead(self, pending: Sequence[tuple[Right, Played]], code: VariantCode) -> None:
        """One trial was right in another order of terms: many more will be asked the same."""
        self.find_sharpness(pending)
        suspects = []
        for right, played in pending:
            if played.failure is None:
                stage = self.compare("", right, right.played.images, played.images)
                if stage.verdict == "fail":
                    suspects.append(right)
        self._precision.look_ahead(suspects, code)

    def compare(self, name: str, right: Right, expected: Images, found: Images) -> Stage:
        """Bit by bit first: how sharp the numbers are is asked only when they differ."""
        if _is_same(expected, found):
            compared = sum(region.size for region in right.staged.capture.regions)
            return Stage(name, "pass", "the same bit by bit", True, compared)
        stage = compare(name, expected, found, right.before, self.buffers)
        if stage.exact or self._exact:
            return stage
        within = self._within(name, right, expected, found, FEW_RUNS)
        if within.verdict != "fail":
            return within
        return self._within(name, right, expected, found, RUNS)

    def _within(self, name: str, right: Right, expected: Images, found: Images, runs: int) -> Stage:
        sharpness = self._precision.sharpness(right, runs)
        return compare(name, expected, found, right.before, self.buffers, sharpness)

    def sharpness_of(self, right: Right) -> Sharpness:
        """With which the candidate passed."""
        return self.orders_of_terms.get(right.name) or self._precision.sharpness(right, FEW_RUNS)


def _is_same(one: Images, other: Images) -> bool:
    """Bit by bit, without reading more than what changed."""
    if isinstance(one, LeftMemory) and isinstance(other, LeftMemory):
        return one.same_as(other)
    return False
