"""All trials of a captured dispatch: what one changes, and how much of everything. Pure.

Each begins with poisoned outputs. A trial that the captured code itself does not cope with is
dropped later, so that nothing here needs to know what an argument means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Callable, Optional

import numpy as np

from rocm_perf_lab.prove.oracle.buffers import Buffer
from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes, ElementType
from rocm_perf_lab.prove.oracle.numbers.mutation import MUTATIONS, boundaries, mutated, with_values
from rocm_perf_lab.prove.oracle.scene import Kind, Scene
from rocm_perf_lab.prove.oracle.trials.arguments import (
    Field,
    argument_edit,
    fields_of,
    number_edit,
    pointers_of,
    signed,
)
from rocm_perf_lab.prove.oracle.trials.elsewhere import Elsewhere
from rocm_perf_lab.prove.oracle.trials.shapes import (
    grid_shape,
    groups_of,
    other_shapes,
    shape_edits,
)
from rocm_perf_lab.prove.oracle.trials.values import (
    larger_values,
    other_values,
    random_value,
    smaller_values,
)
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit, Shape

RANDOM_TRIALS = 24
_USUAL, _ELSEWHERE = "the captured shape", "buffers elsewhere"


@dataclass(frozen=True)
class TrialMaker:
    """``inputs``: buffers with a type whose content may matter; ``content``: what they hold."""

    capture: Capture
    inputs: Sequence[Buffer]
    content: Callable[[Buffer], Bytes]
    poison: tuple[Edit, ...]
    elsewhere: Optional[Elsewhere]
    seed: int = 0
    poison_elsewhere: tuple[Edit, ...] = ()
    fields: tuple[Field, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", fields_of(self.capture))

    # --- the same for every candidate -----------------------------------------------------------

    def fixed(self) -> list[Scene]:
        """Turn by turn of each kind, so that whoever stops early has seen something of all."""
        kinds = [
            list(self._inputs()),
            list(self._smaller()),
            list(self._larger()),
            list(self._scalars(())),
            list(self._shapes()),
            list(self._addresses()),
            list(self._null_pointers()),
            list(self._sequences()),
        ]
        longest = max(map(len, kinds))
        turns = [kind[turn] for turn in range(longest) for kind in kinds if turn < len(kind)]
        return list({scene.name: scene for scene in turns}.values())  # each once

    def _inputs(self) -> Iterator[Scene]:
        for mutation in MUTATIONS:
            edits = [
                Edit(one.address, mutated(mutation, _kind(one), self.content(one), self._of(one)))
                for one in self.inputs
            ]
            if edits:
                yield self._scene(f"input: {mutation.name}", "inputs", edits)
        for one in self.inputs:
            kind = _kind(one)
            if not kind.is_float:
                values = boundaries(kind)
                changed = with_values(kind, self.content(one), values, self._of(one))
                name = f"boundary values in {one.name}"
                yield self._scene(name, "inputs", [Edit(one.address, changed)])

    def _smaller(self) -> Iterator[Scene]:
        for one in self.fields:
            for value in smaller_values(one):
                yield self._with(one, value, "sizes")

    def _larger(self) -> Iterator[Scene]:
        """Alone, and with as many more workgroups along one axis."""
        if self.elsewhere is None:
            return
        groups = groups_of(self.capture)
        for one in self.fields:
            for value in larger_values(one):
                edits = (*self.elsewhere.leading, number_edit(self.capture, one, value))
                plain = self._moved(f"{one.name} = {value}, buffers elsewhere", "sizes", edits)
                wider = []
                for axis, count in enumerate(groups):
                    more = -(-count * value // max(1, signed(one)))
                    if more > count and (count > 1 or axis == 0):
                        label = f"{plain.name}, {more} workgroups along {'xyz'[axis]}"
                        shape = grid_shape(self.capture, axis, more)
                        wider.append(self._shaped(replace(plain, name=label), shape))
                yield from wider
                yield replace(plain, same_as=tuple(scene.name for scene in wider))

    def _scalars(self, constants: Sequence[int], kind: Kind = "scalars") -> Iterator[Scene]:
        for one in self.fields:
            for value in other_values(one, constants):
                yield self._with(one, value, kind)

    def _shapes(self) -> Iterator[Scene]:
        """With fewer work-items, not every kernel does all of its work."""
        usual = self._scene(_USUAL, "launch shapes")
        moved: list[Scene] = []
        yield usual
        for name, shape in other_shapes(self.capture):
            fewer = any(one < own for one, own in zip(shape.grid, self.capture.dispatch.grid))
            here = replace(usual, name=name, same_as=(_USUAL,) if fewer else ())
            yield self._shaped(here, shape)
            if self.elsewhere is not None:
                label = f"{name}, buffers elsewhere"
                there = self._moved(label, "launch shapes", self.elsewhere.leading)
                moved.append(
                    self._shaped(replace(there, same_as=(_ELSEWHERE,) if fewer else ()), shape)
                )
        yield from moved

    def _addresses(self) -> Iterator[Scene]:
        if self.elsewhere is None:
            return
        yield self._moved(_ELSEWHERE, "addresses", self.elsewhere.leading)
        yield self._moved("buffers elsewhere, one element off", "addresses", self.elsewhere.shifted)

    def _null_pointers(self) -> Iterator[Scene]:
        for pointer in pointers_of(self.capture):
            other = 0
            if not pointer.value:
                if self.elsewhere is None or self.elsewhere.null is None:
                    continue
                other = self.elsewhere.null
            edit = argument_edit(self.capture, pointer.offset, other.to_bytes(8, "little"))
            name = f"{pointer.name} is {'null' if not other else 'not null'}"
            yield self._scene(name, "null pointers", [edit])

    def _sequences(self) -> Iterator[Scene]:
        """A second launch with other inputs, on what the first one left."""
        for number, mutation in enumerate(MUTATIONS[:2]):
            edits = tuple(
                Edit(one.address, mutated(mutation, _kind(one), self.content(one), self._of(one)))
                for one in self.inputs
            )
            if edits:
                scene = self._scene(f"two launches, {number + 1}", "launch sequence")
                yield replace(scene, again=(edits,))
        yield replace(self._scene("three launches", "launch sequence"), again=((), ()))

    # --- drawn or looked for ----------------------------------------------------------------------

    def random(
        self, seed: int, shapes: Sequence[Shape] = (), count: int = RANDOM_TRIALS
    ) -> Iterator[Scene]:
        """Everything at once, from a seed that is drawn when the candidate exists. The result does
        not depend on ``shapes``."""
        generator = np.random.default_rng([seed, count])
        for number in range(count):
            edits: list[Edit] = []
            moved = self.elsewhere is not None and generator.random() < 0.3
            if self.elsewhere is not None and moved:
                edits += self.elsewhere.leading
            for one in self.fields:
                if generator.random() < 0.5:
                    value = random_value(one, generator, 1)
                    edits.append(number_edit(self.capture, one, value))
            if not moved:
                edits += self._random_inputs(generator)
            made = self._moved if moved else self._scene
            scene = made(f"random {number + 1} of seed {seed}", "random", edits)
            if shapes and generator.random() < 0.5:
                scene = self._shaped(scene, shapes[int(generator.integers(len(shapes)))])
            yield scene

    def _other_numbers(self, but: Field, generator: np.random.Generator) -> Iterator[Edit]:
        for one in self.fields:
            is_float = one.element is not None and one.element.is_float
            if one != but and (is_float or one.element is None):
                value = random_value(one, generator, 1)
                yield number_edit(self.capture, one, value)

    def _random_inputs(self, generator: np.random.Generator) -> Iterator[Edit]:
        for one in self.inputs:
            if generator.random() < 0.7:
                mutation = MUTATIONS[int(generator.integers(len(MUTATIONS)))]
                seed = int(generator.integers(1 << 31))
                yield Edit(one.address, mutated(mutation, _kind(one), self.content(one), seed))

    def directed(self, constants: Sequence[int]) -> Iterator[Scene]:
        """Values that code compares with, wherever they could come from."""
        generator = np.random.default_rng([self.seed, len(constants)])
        bare = {(one.name, value) for one in self.fields for value in other_values(one, ())}
        for one in self.fields:
            for value in other_values(one, constants):
                if (one.name, value) in bare:
                    continue
                scene = self._with(one, value, "directed")
                yield scene
                # What the code does there may show only with other numbers beside it.
                beside = (*self._other_numbers(one, generator), *self._random_inputs(generator))
                name = f"{scene.name} among others"
                yield replace(scene, name=name, edits=(*scene.edits, *beside))
        compared = dict.fromkeys([*constants, *(one.value for one in self.fields)])
        for buffer in self.inputs:
            kind = _kind(buffer)
            for constant in compared:
                values = _element_values(kind, constant)
                if values:
                    changed = with_values(kind, self.content(buffer), values, constant & 0xFFFF)
                    name = f"values near {constant} in {buffer.name}"
                    yield self._scene(name, "directed", [Edit(buffer.address, changed)])

    # --- inside -----------------------------------------------------------------------------------

    def _with(self, one: Field, value: int, kind: Kind) -> Scene:
        name = f"{one.name} = {_shown(one, value)}"
        return self._scene(name, kind, [number_edit(self.capture, one, value)])

    def _scene(self, name: str, kind: Kind, edits: Sequence[Edit] = ()) -> Scene:
        return Scene(name, kind, (*self.poison, *edits))

    def _moved(self, name: str, kind: Kind, leading: Sequence[Edit]) -> Scene:
        """With the buffers that lie elsewhere; those of the capture are not looked at."""
        return Scene(name, kind, (*self.poison_elsewhere, *leading))

    def _shaped(self, scene: Scene, shape: Shape) -> Scene:
        edits = (*scene.edits, *shape_edits(self.capture, shape))
        return replace(scene, edits=edits, shape=shape)

    def _of(self, buffer: Buffer) -> int:
        return self.seed + buffer.argument


def _kind(buffer: Buffer) -> ElementType:
    assert buffer.element is not None
    return buffer.element


def _element_values(kind: ElementType, constant: int) -> tuple[int, ...]:
    """Bits that are or hold the constant and its neighbours."""
    if not kind.is_float:
        return (constant - 1, constant, constant + 1)
    number = float(constant if constant < 1 << 31 else constant - (1 << 32))
    encoded = kind.encode(np.array([number], dtype=np.float64)).tobytes()
    as_number = int.from_bytes(encoded, "little")
    found = [as_number - 1, as_number, as_number + 1] if number else [as_number]
    if kind.name == "f32":
        found += [constant - 1, constant, constant + 1]
    return tuple(found)


def _shown(one: Field, bits: int) -> str:
    if one.element is not None and one.element.is_float:
        raw = np.frombuffer(bits.to_bytes(one.size, "little"), dtype=np.uint8)
        return f"{float(one.element.decode(raw)[0]):g}"
    top = 1 << (8 * one.size - 1)
    return str(bits - 2 * top if bits >= top else bits)
