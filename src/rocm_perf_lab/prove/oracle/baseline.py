"""What the captured code does in every trial: found once, used for all candidates."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

import numpy as np

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import AddressTaken
from rocm_perf_lab.prove.oracle.comparison import Images
from rocm_perf_lab.prove.oracle.executed.code import coverage_of, work_of
from rocm_perf_lab.prove.oracle.executed.unseen import Coverage
from rocm_perf_lab.prove.oracle.findings import UNWRITTEN, kind_of
from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes
from rocm_perf_lab.prove.oracle.outputs import (
    Right,
    changed_spans,
    full,
    is_pure,
    left_alike,
    lies_in,
    poisoned,
    writes_to_constants,
)
from rocm_perf_lab.prove.oracle.passed.arguments import arguments_address
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.play import (
    CHECKS,
    ORDER_VARIABLE,
    Played,
    Player,
    left_the_same,
    play_checked,
)
from rocm_perf_lab.prove.oracle.scene import (
    PATTERNS,
    POISON,
    Departures,
    Scene,
    set_stage,
    unwritten,
)
from rocm_perf_lab.prove.oracle.strength import Written
from rocm_perf_lab.prove.oracle.trials.elsewhere import Elsewhere, elsewhere
from rocm_perf_lab.prove.oracle.trials.trials import TrialMaker
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.coverage import Work, united
from rocm_perf_lab.replay.scenes import Edit, Shape
from rocm_perf_lab.replay.variant import VariantCode

CAPTURED = "captured memory"
ORDERS = (1, 2, 3)
# Limits are counted in instructions of waves, so that a busy machine decides nothing. A launch of
# the captured code with other values of which a wave executes more than so many times the captured
# one's is left out; one of a candidate that does against the captured code's does not end.
_LEAST_LONG, _TIMES_CAPTURED = 100_000, 20
_LANES = 64
_MOST_INSTRUCTIONS = 40_000_000  # of the captured code in all trials of a call
_LEAST_TRIALS = 24
_BATCH = 24  # trials of one process
_MOST_VARIABLE = "VROCM_MOST_INSTRUCTIONS"


class Baseline:
    """Runs the captured code. ``folder`` holds what it left as long as that is needed."""

    def __init__(
        self,
        capture: Capture,
        buffers: Sequence[Buffer],
        prefix: Prefix,
        device: int,
        timeout_s: float,
        folder: Path,
        seed: int = 0,
    ) -> None:
        self.capture = capture
        self.own_buffers = tuple(buffers)
        self._prefix, self._device, self._timeout_s = prefix, device, timeout_s
        self._seed = seed
        self._folder = folder
        self._numbers = itertools.count()
        self.dropped: Counter[str] = Counter()  # trials by why the captured code does not cope
        self.left_out = 0  # trials that were not tried, because the dispatch is large
        self._coverages: dict[Path, Coverage] = {}  # by the folder of a scene
        self._works: dict[Optional[Path], Work] = {}  # by the folder of a scene
        self.has_guard_pages = True
        self.elsewhere: Optional[Elsewhere] = None
        self.captured = self._play_captured()
        self.varying = self._varies()
        self.written = self._written()
        self.poisonable = self._pure(self.written)

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """With those elsewhere."""
        return (*self.own_buffers, *(self.elsewhere.buffers if self.elsewhere else ()))

    def inputs_of(self, scene: Scene) -> list[Buffer]:
        """Where the buffers of this scene lie, those that are not only written."""
        there: Sequence[Buffer] = self.own_buffers
        if self.elsewhere is not None and scene.setting:
            there = self.elsewhere.moved[scene.setting - 1].buffers
        outputs = {one.place for one in self.own_buffers if self.is_output(one)}
        return [one for one in there if one.place not in outputs]

    # --- playing ----------------------------------------------------------------------------------

    def play(
        self,
        scenes: Sequence[Scene],
        code: Optional[VariantCode] = None,
        *,
        variables: Optional[Mapping[str, str]] = None,
        stop_at_failure: bool = False,
        covered: bool = False,
        processes: int = 1,
    ) -> list[Played]:
        played, missing = self.player.play(
            scenes, code, str(next(self._numbers)),
            variables=variables, stop_at_failure=stop_at_failure, processes=processes,
            covered=covered and self._prefix.kind == "virtual",
        )  # fmt: skip
        if code is not None:
            self.not_enforced = missing
        return played

    not_enforced: tuple[str, ...] = ()

    def _play_captured(self) -> Right:
        """Larger buffers and guard pages need addresses that may be taken: then without them."""
        self.elsewhere = elsewhere(
            self.capture, self.own_buffers, self._captured_content, self._seed
        )
        scene = Scene(CAPTURED)
        for guard_pages, further in ((True, True), (True, False), (False, False)):
            self.has_guard_pages = guard_pages
            if not further:
                self.elsewhere = None
            self.player = self._player()
            try:
                first, again = self.play([scene, scene])
            except AddressTaken:
                if not guard_pages:
                    raise
                continue
            self.again = again
            return Right(scene, self.player.staged, first)
        raise AssertionError("one of them returns or raises")

    def _player(self) -> Player:
        folder = self._folder / f"stage-{next(self._numbers)}"
        staged = set_stage(
            self.capture,
            folder,
            guard_pages=self.has_guard_pages,
            places=self.elsewhere.places if self.elsewhere else (),
        )
        return Player(staged, folder, self._prefix, self._device, self._timeout_s)

    # --- trials -----------------------------------------------------------------------------------

    @functools.cached_property
    def trials(self) -> TrialMaker:
        return TrialMaker(
            self.capture,
            self.inputs(),
            self._captured_content,
            self._poison_edits(POISON),
            self.elsewhere,
            self._seed,
            self._poison_elsewhere(POISON),
            self._work.executed,
        )

    def fixed(self) -> list[Right]:
        """The same trials for every candidate, as far as the captured code copes with them."""
        scenes = [self._poisoned(number) for number in range(len(PATTERNS))]
        scenes.append(Scene(UNWRITTEN, "poisoned output", self._unwritten_edits()))
        scenes += self.trials.fixed()
        return self.coping(scenes)

    def coping(self, scenes: Iterable[Scene]) -> list[Right]:
        found: dict[str, Right] = {}
        for scene, played in self._played(list(scenes)):
            right = Right(scene, self.player.staged, played)
            reason = self._why_not(right)
            if reason is None:
                found[scene.name] = right
            else:
                self.dropped[reason] += 1
        return [replace(one, departures=self._departures(one, found)) for one in found.values()]

    def _departures(self, right: Right, others: Mapping[str, Right]) -> Departures:
        more = [] if self._is_launched_so(right, others) else [right.scene.otherwise]
        return right.scene.departures.union(more)

    def _played(self, wanted: Sequence[Scene]) -> Iterator[tuple[Scene, Played]]:
        """As many as the work allows; a trial that fails counts as the captured one."""
        spent, limits = 0, self._limited(self._work.longest_wave)
        for first in range(0, len(wanted), _BATCH):
            if first >= _LEAST_TRIALS and spent > _MOST_INSTRUCTIONS:
                self.left_out += len(wanted) - first
                return
            batch = wanted[first : first + _BATCH]
            play = functools.partial(self.play, processes=self.player.processes(len(batch)))
            for scene, played in zip(batch, play_checked(play, batch, limits, self._checks)):
                spent += (work_of(played.folder) or self._work).executed
                yield scene, played

    def _limited(self, longest_wave: int) -> Mapping[str, str]:
        return {_MOST_VARIABLE: str(max(_LEAST_LONG, _TIMES_CAPTURED * longest_wave))}

    def _is_launched_so(self, right: Right, others: Mapping[str, Right]) -> bool:
        """Whether scenes that should leave the same do, but for the arguments themselves."""
        place = arguments_address(self.capture)
        named = (others.get(name) for name in right.scene.same_as)
        return all(left_alike(right, other, place) for other in named if other is not None)

    def free_shapes(self, rights: Iterable[Right]) -> list[Shape]:
        """With which all of the work is done."""
        usual = (one.scene for one in rights if not one.optional)
        shapes = (scene.shape for scene in usual if scene.kind == "launch shapes")
        return list(dict.fromkeys(shape for shape in shapes if shape is not None))

    def _why_not(self, right: Right) -> Optional[str]:
        """Why this is nothing to be compared with; None if it is."""
        played = right.played
        if played.failure is not None:
            return "it faults or does not end"
        if self.touched_guards(right, played.images):
            return "it writes outside of its buffers"
        if writes_to_constants(right, self._constants):
            return "it writes to what it is given as const"
        if {kind_of(one) for one in played.findings} - self.own_findings:
            return "it races, divides by zero, or reads outside of its buffers or what nobody wrote"
        return None

    @functools.cached_property
    def _constants(self) -> list[Buffer]:
        """Those behind which nothing lies that the captured launch writes."""
        written = {one.place for one in self.own_buffers if self.writes(one)}
        return [one for one in self.buffers if one.const and one.place not in written]

    def touched_guards(self, right: Right, images: Images) -> list[int]:
        guards = sorted(right.staged.guards & set(images))
        return [one for one in guards if not np.array_equal(images[one], right.before(one))]

    @functools.cached_property
    def _checked_captured(self) -> Played:
        return self.play([self.captured.scene], variables=self._checks, covered=True)[0]

    def work(self) -> Optional[Work]:
        """Of the captured launch."""
        return work_of(self._checked_captured.folder)

    def covered(self, rights: Iterable[Right]) -> Coverage:
        """What the captured code executed in the captured run and in these trials."""
        played = (self._checked_captured, *(right.played for right in rights))
        folders = [one.folder for one in played if one.folder is not None]
        for folder in folders:
            if folder not in self._coverages:
                self._coverages[folder] = coverage_of([folder])
        return united(*(self._coverages[folder] for folder in folders))

    @property
    def own_findings(self) -> frozenset[str]:
        """Kinds of what the checks find in the captured code with the captured memory."""
        return frozenset(map(kind_of, self._checked_captured.findings))

    @property
    def _work(self) -> Work:
        return self.work() or Work(0, 0, 0)

    @property
    def _checks(self) -> Mapping[str, str]:
        return CHECKS if self._prefix.kind == "virtual" else {}

    def limits(self, rights: Iterable[Right]) -> Mapping[str, str]:
        """For a candidate: one work-item may do the work of all that the captured code has."""
        works = [self._work_in(right.played.folder) for right in rights]
        alone = max(_LANES * one.executed for one in works) // _TIMES_CAPTURED
        return self._limited(max(alone, *(one.longest_wave for one in works)))

    def _work_in(self, folder: Optional[Path]) -> Work:
        """Of the captured code in one scene, or in the captured one where nobody counted."""
        if folder not in self._works:
            self._works[folder] = work_of(folder) or self._work
        return self._works[folder]

    # --- the captured run ------------------------------------------------------------------------

    def _varies(self) -> bool:
        """Whether the captured code itself depends on the order of waves."""
        own = self.captured.played
        if own.failure is not None:
            return False
        others = [self.in_order(None, order) for order in ORDERS]
        return any(not left_the_same(own, other) for other in (*others, self.again))

    def in_order(self, code: Optional[VariantCode], order: int) -> Played:
        return self.play([self.captured.scene], code, variables={ORDER_VARIABLE: str(order)})[0]

    def _written(self) -> tuple[Written, ...]:
        """What the captured launch changes, and what it writes without changing it: what a launch
        before it left there already is seen when something else lies there."""
        if self.captured.played.failure is not None:
            return ()
        found = changed_spans(self.captured, self.own_buffers)
        unseen = [
            one
            for one in self.own_buffers
            if not one.const and not any(lies_in(span, one) for span in found)
        ]
        scenes = [
            Scene("probe", edits=(Edit(one.address, full(one.size, PATTERNS[1])),))
            for one in unseen
        ]
        for buffer, scene, played in zip(unseen, scenes, self.play(scenes) if scenes else ()):
            probe = Right(scene, self.player.staged, played)
            if played.failure is None and not self.touched_guards(probe, played.images):
                found += [w for w in changed_spans(probe, self.own_buffers) if lies_in(w, buffer)]
        return tuple(sorted(found, key=lambda one: (one.region, one.begin)))

    def _pure(self, written: Sequence[Written]) -> tuple[Written, ...]:
        """Where what was there before does not matter: that may be poisoned."""
        scenes = [Scene("probe", edits=(poisoned(w, p),)) for w in written for p in PATTERNS]
        played = self.play(scenes) if scenes else []
        count = len(PATTERNS)
        return tuple(
            one
            for number, one in enumerate(written)
            if is_pure(one, self.captured, played[number * count :][:count], self.varying)
        )

    # --- other memory ----------------------------------------------------------------------------

    def _poison_edits(self, pattern: int) -> tuple[Edit, ...]:
        return tuple(poisoned(one, pattern) for one in self.poisonable)

    def _poison_elsewhere(self, pattern: int) -> tuple[Edit, ...]:
        """The copies hold what the captured memory held."""
        outputs = {one.place for one in self.own_buffers if self.is_output(one)}
        there = self.elsewhere.buffers if self.elsewhere else ()
        copies = [one for one in there if one.place in outputs]
        return tuple(Edit(one.address, full(one.size, pattern)) for one in copies)

    def _unwritten_edits(self) -> tuple[Edit, ...]:
        """Outputs that nobody wrote: whoever reads them before writing is found by the checks."""
        return tuple(
            Edit(one.region + one.begin, unwritten(one.region + one.begin, one.end - one.begin))
            for one in self.poisonable
        )

    def _poisoned(self, number: int) -> Scene:
        """Outputs with one pattern, what lies around the buffers with the other."""
        other = PATTERNS[(number + 1) % len(PATTERNS)]
        staged = self.player.staged
        around = tuple(
            Edit(region.base, full(region.size, other))
            for region in staged.capture.regions
            if region.base in staged.guards
        )
        edits = (*self._poison_edits(PATTERNS[number]), *around)
        return Scene(f"poison {number + 1}", "poisoned output", edits)

    def poison_spans(self) -> list[tuple[int, int, int]]:
        """Of what is only written: where the pointer to it lies in the arguments, and from which
        byte behind it to which one."""
        return [
            (buffer.place, one.begin - buffer.offset, one.end - buffer.offset)
            for one in self.poisonable
            for buffer in self.own_buffers
            if lies_in(one, buffer)
        ]

    def inputs(self) -> list[Buffer]:
        """Buffers whose content may matter."""
        return [buffer for buffer in self.own_buffers if not self.is_output(buffer)]

    def is_output(self, buffer: Buffer) -> bool:
        """Only written: what was there before does not matter."""
        return any(lies_in(one, buffer) for one in self.poisonable)

    def writes(self, buffer: Buffer) -> bool:
        return any(lies_in(one, buffer) for one in self.written)

    def _captured_content(self, buffer: Buffer) -> Bytes:
        region = next(one for one in self.capture.regions if one.base == buffer.region)
        image = np.fromfile(self.capture.memory_file(region.file), dtype=np.uint8)
        return image[buffer.offset : buffer.offset + buffer.size]
