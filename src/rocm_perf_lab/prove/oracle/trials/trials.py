"""All trials of a captured dispatch: what one changes, and how much of everything. Pure.

Each begins with poisoned outputs. A trial that the captured code itself does not cope with is
dropped later, so that nothing here needs to know what an argument means. What a change does may
show only with other numbers beside it: values are tried alone, and among others that are drawn.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Callable, Optional

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import UNKNOWN, Bytes
from rocm_perf_lab.prove.oracle.numbers.mutation import (
    MUTATIONS,
    TINY,
    low_bits_changed,
    mutated,
)
from rocm_perf_lab.prove.oracle.passed.arguments import (
    Field,
    Pointer,
    argument_edit,
    fields_of,
    number_edit,
    pointers_of,
    signed,
)
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.scene import FEWER_ITEMS, OTHER_SHAPE, Kind, Scene
from rocm_perf_lab.prove.oracle.trials.elsewhere import APART, GROWTH, Elsewhere
from rocm_perf_lab.prove.oracle.trials.meeting import Meetings
from rocm_perf_lab.prove.oracle.trials.setting import EVERY_SIZE, Setting, is_typed, kind_of
from rocm_perf_lab.prove.oracle.trials.shapes import other_shapes
from rocm_perf_lab.prove.oracle.trials.sizes import Sizes, shaped
from rocm_perf_lab.prove.oracle.trials.values import (
    departures_of,
    element_values,
    is_size,
    larger_values,
    may_be_offset,
    more_of,
    other_values,
    random_value,
    said,
    smaller_values,
    wants_more_work,
)
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit, Shape

RANDOM_TRIALS = 40
_DRAWN = 3  # with other numbers and inputs, where something is tried among others
_USUAL = "the captured shape"
_FAR_WORK = 1_000_000  # instructions of a launch with far larger buffers


@dataclass(frozen=True)
class TrialMaker:
    """``inputs``: buffers whose content may matter; ``content``: what they hold."""

    capture: Capture
    inputs: Sequence[Buffer]
    content: Callable[[Buffer], Bytes]
    poison: tuple[Edit, ...]
    elsewhere: Optional[Elsewhere]
    seed: int = 0
    poison_elsewhere: tuple[Edit, ...] = ()
    work: int = 0  # instructions of the captured launch

    @functools.cached_property
    def fields(self) -> tuple[Field, ...]:
        return fields_of(self.capture)

    @functools.cached_property
    def captured(self) -> Setting:
        return Setting("", self.poison, self.inputs, self.content)

    @functools.cached_property
    def grown(self) -> tuple[Setting, ...]:
        """Elsewhere, and one element off."""
        return tuple(one for one in self._moved if one.growth == GROWTH)

    @functools.cached_property
    def sizes(self) -> Sizes:
        far = [one for one in self._moved if GROWTH < one.growth <= _FAR_WORK / max(1, self.work)]
        return Sizes(self.capture, self.fields, self.captured, self.grown, far)

    @functools.cached_property
    def _moved(self) -> tuple[Setting, ...]:
        return tuple(self._settings_elsewhere())

    def _settings_elsewhere(self) -> Iterator[Setting]:
        if self.elsewhere is None:
            return
        places = {one.place for one in self.inputs}
        held = {place.base: place.content for place in self.elsewhere.places}
        for number, moved in enumerate(self.elsewhere.moved, 1):
            inputs = [one for one in moved.buffers if one.place in places | moved.further]
            addresses = {one.address for one in moved.buffers}
            poison = [one for one in self.poison_elsewhere if one.address in addresses]
            edits = (*poison, *moved.leading)
            yield Setting(
                moved.name, edits, inputs, lambda one: held[one.address], number, moved.growth
            )

    # --- the same for every candidate -----------------------------------------------------------

    def fixed(self) -> list[Scene]:
        """Turn by turn of each kind, so that whoever stops early has seen something of all."""
        kinds = [
            list(self._inputs()),
            list(self.sizes.smaller()),
            list(self.sizes.larger()),
            list(self._scalars()),
            list(self._shapes()),
            list(self._addresses()),
            list(self._null_pointers()),
            list(Meetings(self.capture, self.captured, self.grown, self.seed).scenes()),
            list(self._sequences()),
            list(self.sizes.together()),
        ]
        longest = max(map(len, kinds))
        turns = [kind[turn] for turn in range(longest) for kind in kinds if turn < len(kind)]
        return list({scene.name: scene for scene in turns}.values())  # each once

    def _inputs(self) -> Iterator[Scene]:
        for mutation in MUTATIONS:
            edits = self.captured.mutated(mutation, self.seed)
            if edits:
                yield self._scene(f"input: {mutation.name}", "inputs", edits)
        for one in self.inputs:
            kind = kind_of(one)
            if kind is UNKNOWN:
                edit = Edit(one.address, low_bits_changed(self.content(one), self.seed + one.seed))
                yield self._scene(f"lowest bits in {one.name}", "inputs", [edit])
            for what, other in self.captured.other_integers(one, self.seed + one.seed):
                yield self._scene(f"{what} in {one.name}", "inputs", [other])
            # Products of tiny numbers are 0, whatever becomes of them.
            if kind.is_float and len(self.inputs) > 1:
                edits = [Edit(one.address, mutated(TINY, kind, self.content(one), self.seed))]
                yield self._scene(f"tiny values in {one.name}", "inputs", edits)

    def _scalars(self) -> Iterator[Scene]:
        generator = np.random.default_rng([self.seed, len(self.fields)])
        for one in self.fields:
            for value in other_values(one, ()):
                yield from self._with(one, value, "scalars", generator)

    def _shapes(self) -> Iterator[Scene]:
        """With fewer work-items, not every kernel does all of its work."""
        usual = self._scene(_USUAL, "launch shapes")
        moved: list[Scene] = []
        yield usual
        for name, shape, why in other_shapes(self.capture):
            fewer = any(one < own for one, own in zip(shape.grid, self.capture.dispatch.grid))
            here = replace(usual, name=name, departures=why, otherwise=FEWER_ITEMS)
            here = replace(here, same_as=(_USUAL,) if fewer else ())
            yield shaped(self.capture, here, shape)
            for setting in self.grown[:1]:
                there = setting.scene(f"{name}, {setting.name}", "launch shapes")
                same_as = (setting.name,) if fewer else ()
                there = replace(there, same_as=same_as, departures=why, otherwise=FEWER_ITEMS)
                moved.append(shaped(self.capture, there, shape))
        yield from moved

    def _addresses(self) -> Iterator[Scene]:
        for setting in self.grown:
            yield setting.scene(setting.name, "addresses")
        apart = [one for one in self._moved if one.name == APART]
        for setting in apart:
            yield setting.scene(setting.name, "addresses")
            for mutation in MUTATIONS:
                edits = setting.mutated(mutation, self.seed)
                yield setting.scene(f"{setting.name}, input: {mutation.name}", "addresses", edits)
        generator = np.random.default_rng([self.seed, GROWTH])
        for setting in (*self.grown, *apart):
            for number in range(_DRAWN):
                beside = self._beside(setting, generator)
                name = f"{setting.name}, among others {number + 1}"
                yield setting.scene(name, "addresses", list(beside))

    def _null_pointers(self) -> Iterator[Scene]:
        generator = np.random.default_rng([self.seed, len(self.fields), 0])
        for pointer in pointers_of(self.capture):
            edit = self._other_pointer(pointer)
            if edit is None:
                continue
            scene = self._scene(_null(pointer), "null pointers", [edit])
            yield scene
            yield self._among_others(scene, self.captured, generator)

    def _other_pointer(self, pointer: Pointer) -> Optional[Edit]:
        """Null, or somewhere where it was null."""
        if not pointer.value and self.elsewhere is None:
            return None
        other = self.elsewhere.null if self.elsewhere and not pointer.value else 0
        return argument_edit(self.capture, pointer.offset, other.to_bytes(8, "little"))

    def _sequences(self) -> Iterator[Scene]:
        """A second launch with other inputs, on what the first one left."""
        for number, mutation in enumerate(MUTATIONS[:2]):
            edits = tuple(self.captured.mutated(mutation, self.seed))
            if edits:
                scene = self._scene(f"two launches, {number + 1}", "launch sequence")
                yield replace(scene, again=(edits,))
        yield replace(self._scene("three launches", "launch sequence"), again=((), ()))

    # --- drawn or looked for ----------------------------------------------------------------------

    def random(
        self,
        seed: int,
        shapes: Sequence[Shape] = (),
        coped: AbstractSet[str] = frozenset(),
        count: int = RANDOM_TRIALS,
    ) -> Iterator[Scene]:
        """Everything at once, from a seed that is drawn when the candidate exists. ``coped``: names
        of trials that the captured code copes with; pointers are null only if it does."""
        generator = np.random.default_rng([seed, count])
        for number in range(count):
            settings = (self.captured, *self.grown)
            setting = settings[int(generator.integers(len(settings)))]
            numbers = list(self._random_numbers(setting, generator))
            edits = [number_edit(self.capture, one, value) for one, value in numbers]
            edits += setting.random(generator)
            for pointer in pointers_of(self.capture):
                other = self._other_pointer(pointer)
                if other is not None and generator.random() < 0.2 and _null(pointer) in coped:
                    edits.append(other)
            again = (tuple(setting.random(generator)),) if generator.random() < 0.2 else ()
            name = f"random {number + 1} of seed {seed}"
            why = frozenset(more_of(one) for one, value in numbers if wants_more_work(one, value))
            scene = replace(setting.scene(name, "random", edits), again=again, departures=why)
            if shapes and generator.random() < 0.5:
                shape = shapes[int(generator.integers(len(shapes)))]
                scene = shaped(self.capture, scene, shape)
            yield scene

    def directed(self, constants: Sequence[int]) -> Iterator[Scene]:
        """Values that code compares with, wherever they could come from; in turns, so that the work
        of one long loop does not use up what there is for the others."""
        kinds = [
            *(self._directed_number(one, constants) for one in self.fields),
            *(self._directed_values(one, constants) for one in self.inputs if is_typed(one)),
        ]
        for turn in itertools.zip_longest(*kinds):
            yield from (one for one in turn if one is not None)

    def _directed_number(self, one: Field, constants: Sequence[int]) -> Iterator[Scene]:
        generator = np.random.default_rng([self.seed, len(constants), one.offset])
        bare = other_values(one, ())
        for value in other_values(one, constants):
            if value not in bare:
                yield from self._with(one, value, "directed", generator)

    def _directed_values(self, buffer: Buffer, constants: Sequence[int]) -> Iterator[Scene]:
        for constant in dict.fromkeys([*constants, *(one.value for one in self.fields)]):
            for how, values in element_values(kind_of(buffer), constant).items():
                if values:
                    name = f"values near {constant}{how} in {buffer.name}"
                    yield from self._with_values(name, buffer, values, constant & 0xFFFF)

    def around(self, scene: Scene, constants: Sequence[int]) -> Iterator[Scene]:
        """A trial that came near to something, with one thing more changed; in turns."""
        near = replace(scene, kind="directed", same_as=())
        kinds = [
            self._around_inputs(near),
            self._around_shapes(near),
            *(self._around_number(near, one, constants) for one in self.fields),
        ]
        for turn in itertools.zip_longest(*kinds):
            yield from (one for one in turn if one is not None)

    def _around_inputs(self, near: Scene) -> Iterator[Scene]:
        setting = (self.captured, *self._moved)[near.setting]
        generator = np.random.default_rng([self.seed, len(near.edits)])
        for number in range(_DRAWN):
            edits = (*near.edits, *setting.random(generator))
            yield replace(near, name=f"{near.name}, other inputs {number + 1}", edits=edits)
        for buffer in setting.inputs:
            for what, edit in setting.other_integers(buffer, self.seed):
                name = f"{near.name}, {what} in {buffer.name}"
                yield replace(near, name=name, edits=(*near.edits, edit))

    def _around_shapes(self, near: Scene) -> Iterator[Scene]:
        for name, shape, odd in other_shapes(self.capture):
            why = near.departures | (odd or {OTHER_SHAPE})
            other = replace(near, name=f"{near.name}, {name}", departures=why)
            yield shaped(self.capture, other, shape)

    def _around_number(self, near: Scene, one: Field, constants: Sequence[int]) -> Iterator[Scene]:
        smaller = smaller_values(one)
        none_and_one = smaller[:2]  # where loops and bounds end, whatever the code compares with
        values = (*none_and_one, *other_values(one, constants), *smaller, *larger_values(one))
        for value in dict.fromkeys(values):
            larger = self._needs_room(one, value)
            if near.setting or not larger:
                edits = (*near.edits, number_edit(self.capture, one, value))
                name = f"{near.name}, {said(one, value)}"
                why = near.departures | departures_of(one, value)
                yield replace(near, name=name, edits=edits, departures=why)

    # --- inside -----------------------------------------------------------------------------------

    def _with(
        self, one: Field, value: int, kind: Kind, generator: np.random.Generator
    ) -> Iterator[Scene]:
        """Alone and among others; a size that needs more room has it, but perhaps not as many
        work-items as a host would launch."""
        larger = self._needs_room(one, value)
        setting = self.grown[0] if self.grown and larger else self.captured
        name = said(one, value)
        if wants_more_work(one, value) and setting.number:
            for wide in self.sizes.wide(setting, one, value):
                yield wide
                if wide.shape is not None:
                    yield from self._beside_others(wide, setting, generator, one, kind)
        edit = number_edit(self.capture, one, value)
        scene = setting.scene(name, kind, [edit])
        scene = replace(scene, departures=departures_of(one, value))
        yield scene
        yield from self._beside_others(scene, setting, generator, one, kind)
        if may_be_offset(one, value):
            for setting in self.grown[:1]:
                yield setting.scene(f"{name}, {setting.name}", kind, [edit])

    def _beside_others(
        self, scene: Scene, setting: Setting, generator: np.random.Generator, one: Field, kind: Kind
    ) -> Iterator[Scene]:
        """What code compares a number with may be an element, small ones in the application."""
        yield self._among_others(scene, setting, generator, one)
        edits = setting.of_every_size(self.seed) if kind == "directed" else []
        if edits:
            name = f"{scene.name}, {EVERY_SIZE}"
            yield replace(scene, name=name, edits=(*scene.edits, *edits))

    def _needs_room(self, one: Field, value: int) -> bool:
        return is_size(one) and signed(replace(one, value=value)) > signed(one)

    def _with_values(
        self, name: str, buffer: Buffer, values: Sequence[int], seed: int
    ) -> Iterator[Scene]:
        """In the captured buffer, and in the one that lies elsewhere, one element off. Of floats
        nothing else, too: in a sum with larger ones it does not show what happens to small ones."""
        edit = self.captured.with_values(buffer, values, seed)
        yield self._scene(name, "directed", [edit])
        if kind_of(buffer).is_float:
            edit = self.captured.with_nothing_but(buffer, values, seed)
            yield self._scene(f"nothing but {name}", "directed", [edit])
        for setting in self.grown[-1:]:
            for there in setting.inputs:
                if there.place == buffer.place:
                    edit = setting.with_values(there, values, seed)
                    yield setting.scene(f"{name}, {setting.name}", "directed", [edit])

    def _among_others(
        self,
        scene: Scene,
        setting: Setting,
        generator: np.random.Generator,
        but: Optional[Field] = None,
    ) -> Scene:
        beside = self._beside(setting, generator, but)
        return replace(scene, name=f"{scene.name} among others", edits=(*scene.edits, *beside))

    def _beside(
        self, setting: Setting, generator: np.random.Generator, but: Optional[Field] = None
    ) -> Iterator[Edit]:
        """Other numbers and inputs; sizes stay."""
        for one in self.fields:
            is_float = one.element is not None and one.element.is_float
            if one != but and (is_float or one.element is None):
                yield number_edit(self.capture, one, random_value(one, generator, 1))
        yield from setting.random(generator)

    def _random_numbers(
        self, setting: Setting, generator: np.random.Generator
    ) -> Iterator[tuple[Field, int]]:
        most = 2 if setting.growth > 1 and generator.random() < 0.3 else 1
        for one in self.fields:
            if generator.random() < 0.5:
                yield one, random_value(one, generator, most)

    def _scene(self, name: str, kind: Kind, edits: Sequence[Edit] = ()) -> Scene:
        return self.captured.scene(name, kind, edits)


def _null(pointer: Pointer) -> str:
    """The name of the trial."""
    return f"{pointer.name} is {'null' if pointer.value else 'not null'}"
