"""What the captured code does in every scene: found once, used for all candidates."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import numpy as np

from rocm_perf_lab.errors import AddressTaken
from rocm_perf_lab.prove.oracle.buffers import Buffer, Scalar, scalars_of
from rocm_perf_lab.prove.oracle.comparison import Sharpness, parts_of
from rocm_perf_lab.prove.oracle.element_type import Bytes
from rocm_perf_lab.prove.oracle.mutation import MUTATIONS, mutated
from rocm_perf_lab.prove.oracle.play import Played, Player
from rocm_perf_lab.prove.oracle.scene import PATTERNS, Edit, Scene, StagedScene, stage
from rocm_perf_lab.prove.oracle.sharpness import find_sharpness
from rocm_perf_lab.prove.oracle.strength import Written
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.variant import VariantCode

CAPTURED = "captured memory"
ORDER_VARIABLE = "VROCM_ORDER"  # read by the virtual device; a real one orders as it likes
ORDERS = (1, 2, 3)
LAUNCHES = 3


@dataclass(frozen=True)
class Right:
    """A scene and what the captured code leaves there."""

    staged: StagedScene
    played: Played

    @property
    def name(self) -> str:
        return self.staged.scene.name


class Baseline:
    """Runs the captured code. ``folder`` holds the scenes as long as they are needed."""

    def __init__(
        self,
        capture: Capture,
        buffers: Sequence[Buffer],
        player: Player,
        folder: Path,
        reference: Callable[[], Optional[VariantCode]],
        seed: int = 0,
    ) -> None:
        self.capture = capture
        self.buffers = tuple(buffers)
        self.player = player
        self._make_reference = reference
        self._seed = seed
        self._folder = folder
        self.has_guard_pages = True
        self._numbers = itertools.count()
        self._sharpness: dict[str, Sharpness] = {}
        self.captured = self._play_captured()
        self.varying = self._varies()
        self.written = self._written()
        self.poisonable = tuple(one for one in self.written if self._is_pure(one))

    # --- scenes ---------------------------------------------------------------------------------

    def scenes(self) -> list[Right]:
        """Everything but the captured memory, as far as the captured code copes with it."""
        made = [self._poisoned(number) for number in range(len(PATTERNS))]
        made += [Scene(f"input: {m.name}", self._mutations(i)) for i, m in enumerate(MUTATIONS)]
        if not self._mutations(0):
            made = made[: len(PATTERNS)]
        for scalar in scalars_of(self.capture):
            made += [self._resized(scalar, value) for value in _other_sizes(scalar)]
        played = [self._play(scene) for scene in made]
        return [right for right in played if self.copes(right)]

    def copes(self, right: Right) -> bool:
        """No fault, nothing written around the buffers, and the same result a second time."""
        played = right.played
        touched = right.staged.guards & set(played.first)
        return played.failure is None and not touched

    def _play(self, scene: Scene, code: Optional[VariantCode] = None) -> Right:
        staged = self._stage(scene)
        return Right(staged, self.player.play(staged, code))

    def _stage(self, scene: Scene) -> StagedScene:
        place = self._folder / str(next(self._numbers))
        return stage(self.capture, scene, place, guard_pages=self.has_guard_pages)

    def _play_captured(self) -> Right:
        staged = self._stage(Scene(CAPTURED))
        try:
            return Right(staged, self.player.play(staged, None, launches=LAUNCHES))
        except AddressTaken:  # perhaps one of the pages that only we want
            self.has_guard_pages = False
            staged = self._stage(Scene(CAPTURED))
            return Right(staged, self.player.play(staged, None, launches=LAUNCHES))

    # --- the captured run ------------------------------------------------------------------------

    def _varies(self) -> bool:
        """Whether the captured code itself depends on the order of waves."""
        own = self.captured.played
        return any(
            not _same(own.first, self.in_order(None, order).first) for order in ORDERS
        ) or not _same(own.first, own.last)

    def in_order(self, code: Optional[VariantCode], order: int) -> Played:
        return self.player.play(self.captured.staged, code, variables={ORDER_VARIABLE: str(order)})

    def _written(self) -> tuple[Written, ...]:
        """From the first to the last changed byte in each part of each changed region."""
        found = self._changed(self.captured)
        for buffer in self.buffers:
            if not buffer.const and not any(_inside(one, buffer) for one in found):
                found += self._rewritten(buffer)
        return tuple(sorted(found, key=lambda one: (one.region, one.begin)))

    def _rewritten(self, buffer: Buffer) -> list[Written]:
        """What a launch before this one left there already, so that the captured one changes
        nothing: seen when something else lies there."""
        foreign = np.full(buffer.size, PATTERNS[1], dtype=np.uint8)
        probe = self._play(Scene("probe", (Edit(buffer.address, foreign),)))
        if not self.copes(probe):
            return []
        return [one for one in self._changed(probe) if _inside(one, buffer)]

    def _changed(self, right: Right) -> list[Written]:
        found = []
        for region, image in sorted(right.played.first.items()):
            changed = np.flatnonzero(image != right.staged.before(region))
            found += [Written(region, *span) for span in self._spans(region, changed)]
        return found

    def _spans(self, region: int, changed: np.ndarray) -> list[tuple[int, int]]:
        """By buffer, whole elements."""
        spans = []
        for part in parts_of(region, len(self.captured.staged.before(region)), self.buffers):
            inside = changed[(changed >= part.begin) & (changed < part.end)] - part.begin
            element = None if part.buffer is None else part.buffer.element
            size = 1 if element is None else element.size
            if inside.size:
                first = int(inside[0]) // size * size
                last = -(-(int(inside[-1]) + 1) // size) * size
                spans.append((part.begin + first, min(part.begin + last, part.end)))
        return spans

    def _is_pure(self, one: Written) -> bool:
        """Whether what was there before does not matter: then it may be poisoned."""
        outcomes = []
        for pattern in PATTERNS:
            right = self._play(Scene("probe", (_poison(one, pattern),)))
            if right.played.failure is not None or one.region not in right.played.first:
                return False
            outcomes.append(right.played.first[one.region][one.begin : one.end])
        left = self.captured.played.first.get(one.region)
        if left is None:
            left = self.captured.staged.before(one.region)
        expected = left[one.begin : one.end]
        if self.varying:
            # What it computes anew is never what was there; the values themselves may vary.
            return all(not np.any(o == p) for o, p in zip(outcomes, PATTERNS))
        return all(np.array_equal(outcome, expected) for outcome in outcomes)

    # --- other memory ----------------------------------------------------------------------------

    def _poison_edits(self, pattern: int) -> tuple[Edit, ...]:
        return tuple(_poison(one, pattern) for one in self.poisonable)

    def _poisoned(self, number: int) -> Scene:
        """Outputs with one pattern, what lies around the buffers with the other."""
        other = PATTERNS[(number + 1) % len(PATTERNS)]
        edits = self._poison_edits(PATTERNS[number])
        return Scene(f"poison {number + 1}", edits, other)

    def inputs(self) -> list[Buffer]:
        """Buffers with a type whose content may matter."""
        return [
            buffer
            for buffer in self.buffers
            if buffer.element is not None and not self.is_output(buffer)
        ]

    def is_output(self, buffer: Buffer) -> bool:
        """Only written: what was there before does not matter."""
        return any(_inside(one, buffer) for one in self.poisonable)

    def writes(self, buffer: Buffer) -> bool:
        return any(_inside(one, buffer) for one in self.written)

    def _content(self, buffer: Buffer) -> Bytes:
        region = self.captured.staged.before(buffer.region)
        return region[buffer.offset : buffer.offset + buffer.size]

    def _mutations(self, number: int) -> tuple[Edit, ...]:
        edits = []
        for buffer in self.inputs():
            assert buffer.element is not None
            new = mutated(
                MUTATIONS[number],
                buffer.element,
                self._content(buffer),
                self._seed + buffer.argument,
            )
            edits.append(Edit(buffer.address, new))
        return (*self._poison_edits(PATTERNS[0]), *edits) if edits else ()

    def _resized(self, scalar: Scalar, value: int) -> Scene:
        content = np.frombuffer(value.to_bytes(scalar.size, "little"), dtype=np.uint8)
        edits = (*self._poison_edits(PATTERNS[0]), Edit(scalar.address, content))
        return Scene(f"argument {scalar.argument} = {value}", edits)

    # --- how sharp the results are ---------------------------------------------------------------

    def sharpness(self, right: Right) -> Sharpness:
        """Found when first asked for: bit-exact candidates never ask."""
        if right.name not in self._sharpness:
            self._sharpness[right.name] = self._find_sharpness(right)
        return self._sharpness[right.name]

    @functools.cached_property
    def _reference(self) -> Optional[VariantCode]:
        return self._make_reference()

    def _find_sharpness(self, right: Right) -> Sharpness:
        staged, player = right.staged, self.player
        others: tuple[Played, ...] = ()
        if self.varying:
            others = tuple(
                player.play(staged, None, variables={ORDER_VARIABLE: str(order)})
                for order in ORDERS
            )
        known = None if self._reference is None else player.play(staged, self._reference)
        return find_sharpness(
            lambda scene, variables: player.play(self._stage(scene), None, variables=variables),
            staged,
            right.played.first,
            self.buffers,
            self.inputs(),
            rounds_at_random=player.prefix.kind == "virtual",
            others=others,
            known=known,
        )


def _inside(one: Written, buffer: Buffer) -> bool:
    begin = one.begin - buffer.offset
    return one.region == buffer.region and 0 <= begin < buffer.size


def _poison(one: Written, pattern: int) -> Edit:
    content = np.full(one.end - one.begin, pattern, dtype=np.uint8)
    return Edit(one.region + one.begin, content)


def _other_sizes(scalar: Scalar) -> Sequence[int]:
    """Smaller only: more elements than captured would lie outside of the captured memory."""
    return sorted({scalar.value - 1, 1} - {scalar.value, 0}) if 1 < scalar.value < 1 << 31 else ()


def _same(one: Mapping[int, Bytes], other: Mapping[int, Bytes]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)
