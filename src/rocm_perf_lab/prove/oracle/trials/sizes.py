"""Other sizes: numbers that may be one, with buffers and launches to match. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Optional

from rocm_perf_lab.prove.oracle.passed.arguments import Field, number_edit, signed
from rocm_perf_lab.prove.oracle.scene import FEWER_ITEMS, Scene
from rocm_perf_lab.prove.oracle.trials.setting import EVERY_SIZE, Setting
from rocm_perf_lab.prove.oracle.trials.shapes import grid_shape, groups_of, shape_edits
from rocm_perf_lab.prove.oracle.trials.values import is_size, larger_values, more_of, smaller_values
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit, Shape

_MOST_PAIRED = 4  # numbers of which each is changed together with each
_AXES = "xyz"


@dataclass(frozen=True)
class Sizes:
    capture: Capture
    fields: Sequence[Field]
    captured: Setting
    grown: Sequence[Setting]  # with room for larger ones; none where buffers cannot be moved
    far: Sequence[Setting] = ()  # with room for far larger ones

    def smaller(self) -> Iterator[Scene]:
        for one in self.fields:
            for value in smaller_values(one):
                yield self._scene(self.captured, ((one, value),))

    def larger(self) -> Iterator[Scene]:
        """Alone, and with as many more workgroups along one axis."""
        for number, setting in enumerate(self.grown):
            for one in self.fields:
                values = larger_values(one)
                for value in values if number == 0 else values[-1:]:
                    yield from self.wide(setting, one, value)
        for setting in self.far:
            for one in filter(is_size, self.fields):
                value = setting.growth * signed(one) - 1
                yield from self.wide(setting, one, value)
                yield from self._counted_together(setting, one, value)
                yield from self._compared(setting, one, value)

    def _counted_together(self, setting: Setting, one: Field, value: int) -> Iterator[Scene]:
        """Integers that are all alike, counted or added by one workgroup, or in one long row: their
        sum needs more bits than it does in the captured launch."""
        edits = setting.largest()
        if not edits:
            return
        plain = self._alike(setting, ((one, value),), edits)
        wide = self._with_groups(plain, 0, self._groups_for(one, value, 0))
        yield wide
        alone = self._with_groups(plain, 0, 1)
        yield replace(alone, same_as=(wide.name,), otherwise=FEWER_ITEMS)
        for other in filter(is_size, self.fields):
            if other != one:
                most = signed(other) * value
                for length in (most, most // 16):  # the longest may take too long
                    yield self._alike(setting, ((one, length), (other, 1)), edits)

    def _compared(self, setting: Setting, one: Field, value: int) -> Iterator[Scene]:
        """The number may be a limit: elements are larger here."""
        edits = setting.of_every_size(one.offset)
        if edits:
            plain = self._scene(setting, ((one, value),))
            name, edited = f"{plain.name}, {EVERY_SIZE}", (*plain.edits, *edits)
            plain = replace(plain, name=name, edits=edited)
            yield self._with_groups(plain, 0, self._groups_for(one, value, 0))

    def _alike(
        self, setting: Setting, values: Sequence[tuple[Field, int]], edits: Sequence[Edit]
    ) -> Scene:
        plain = self._scene(setting, values)
        return replace(plain, name=f"{plain.name}, all alike", edits=(*plain.edits, *edits))

    def wide(self, setting: Setting, one: Field, value: int) -> Iterator[Scene]:
        """With as many more workgroups along each axis, as far as buffers have room for, and
        without."""
        plain = self._scene(setting, ((one, value),))
        wider = []
        for axis, count in enumerate(groups_of(self.capture)):
            more = min(self._groups_for(one, value, axis), setting.growth * count)
            if more > count and (count > 1 or axis == 0):
                wider.append(self._with_groups(plain, axis, more))
        yield from wider
        same_as = tuple(scene.name for scene in wider)
        yield replace(plain, same_as=same_as, otherwise=more_of(one))

    def _groups_for(self, one: Field, value: int, axis: int) -> int:
        """As many more workgroups."""
        return -(-groups_of(self.capture)[axis] * value // max(1, signed(one)))

    def together(self) -> Iterator[Scene]:
        """Two numbers at once: a row and its pitch; long rows, but few. Hosts may never launch
        these, so that they only show code at work."""
        for setting in self.grown[:1]:
            sizes = [one for one in self.fields if is_size(one)]
            for one, other in itertools.combinations(sizes[:_MOST_PAIRED], 2):
                a, b = signed(one), signed(other)
                both = ((one, 2 * a), (other, 2 * b))
                yield from self._with_fewer_groups(setting, both)
                yield from self._with_fewer_groups(setting, ((one, a * b), (other, 1)))
                yield from self._with_fewer_groups(setting, ((one, 1), (other, a * b)))
            for one in sizes:
                for axis, count in enumerate(groups_of(self.capture)):
                    if count > 1:
                        value = setting.growth * signed(one) * count
                        plain = self._as_departure(setting, ((one, value - 1),))
                        yield self._by_one_group(plain, axis)

    def _with_fewer_groups(
        self, setting: Setting, values: Sequence[tuple[Field, int]]
    ) -> Iterator[Scene]:
        plain = self._as_departure(setting, values)
        yield plain
        for axis, count in enumerate(groups_of(self.capture)):
            if count > 1:
                yield self._by_one_group(plain, axis)

    def _by_one_group(self, scene: Scene, axis: int) -> Scene:
        why = scene.departures | {FEWER_ITEMS}
        return replace(self._with_groups(scene, axis, 1), departures=why)

    def _as_departure(self, setting: Setting, values: Sequence[tuple[Field, int]]) -> Scene:
        why = frozenset(more_of(one) for one, value in values if value > signed(one))
        return replace(self._scene(setting, values), departures=why)

    def _scene(self, setting: Setting, values: Sequence[tuple[Field, int]]) -> Scene:
        name = " and ".join(f"{one.name} = {value}" for one, value in values)
        label = f"{name}, {setting.name}" if setting.name else name
        edits = [number_edit(self.capture, one, value) for one, value in values]
        return setting.scene(label, "sizes", edits)

    def _with_groups(self, scene: Scene, axis: int, groups: int) -> Scene:
        noun = "workgroup" if groups == 1 else "workgroups"
        name = f"{scene.name}, {groups} {noun} along {_AXES[axis]}"
        return shaped(
            self.capture, replace(scene, name=name), grid_shape(self.capture, axis, groups)
        )


def shaped(capture: Capture, scene: Scene, shape: Optional[Shape]) -> Scene:
    if shape is None:
        return scene
    return replace(scene, edits=(*scene.edits, *shape_edits(capture, shape)), shape=shape)
