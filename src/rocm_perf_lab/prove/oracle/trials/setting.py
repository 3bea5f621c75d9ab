"""Where the buffers of a trial lie, and what they hold there. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import UNKNOWN, Bytes, ElementType
from rocm_perf_lab.prove.oracle.numbers.mutation import (
    MUTATIONS,
    Mutation,
    all_largest,
    boundaries,
    mutated,
    of_every_size,
    of_the_same_range,
    with_values,
)
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.scene import Kind, Scene
from rocm_perf_lab.replay.scenes import Edit

EVERY_SIZE = "integers of every size"
_MOST_DRAWN_BYTES = 4 << 20  # of all inputs


@dataclass(frozen=True)
class Setting:
    """``inputs``: buffers whose content may matter; ``growth``: how many times the
    captured sizes there is room for."""

    name: str  # empty for the captured one
    edits: tuple[Edit, ...]  # that lead there, and poison what is only written
    inputs: Sequence[Buffer]
    content: Callable[[Buffer], Bytes]
    number: int = 0  # as scenes know it
    growth: int = 1

    def scene(self, name: str, kind: Kind, edits: Sequence[Edit] = ()) -> Scene:
        return Scene(name, kind, (*self.edits, *edits), setting=self.number)

    def mutated(self, mutation: Mutation, seed: int) -> list[Edit]:
        """All inputs changed in one way."""
        return [
            Edit(one.address, mutated(mutation, kind_of(one), self.content(one), seed + one.seed))
            for one in self.inputs
        ]

    def largest(self) -> list[Edit]:
        """All integers of each input are its largest one; nothing where other numbers are read."""
        if any(kind_of(one).is_float for one in self.inputs):
            return []
        return [
            Edit(one.address, all_largest(kind_of(one), self.content(one)))
            for one in filter(is_typed, self.inputs)
        ]

    def random(self, generator: np.random.Generator) -> list[Edit]:
        """Most inputs, each in a way of its own; none where hundreds of copies would not fit."""
        edits: list[Edit] = []
        if sum(one.size for one in self.inputs) > _MOST_DRAWN_BYTES:
            return edits
        for one in self.inputs:
            if generator.random() < 0.7:
                mutation = MUTATIONS[int(generator.integers(len(MUTATIONS)))]
                seed = int(generator.integers(1 << 31))
                new = mutated(mutation, kind_of(one), self.content(one), seed)
                edits.append(Edit(one.address, new))
        return edits

    def other_integers(self, buffer: Buffer, seed: int) -> Iterator[tuple[str, Edit]]:
        """With what they are; more values than those of the captured launch."""
        kind, old = kind_of(buffer), self.content(buffer)
        if kind.is_float or buffer.element is None:
            return
        yield "boundary values", self.with_values(buffer, boundaries(kind), seed)
        yield EVERY_SIZE, Edit(buffer.address, of_every_size(kind, old, seed))
        yield "integers of the same range", Edit(buffer.address, of_the_same_range(kind, old, seed))

    def of_every_size(self, seed: int) -> list[Edit]:
        """All integers; nothing where there are none."""
        return [
            edit
            for one in self.inputs
            for what, edit in self.other_integers(one, seed + one.seed)
            if what == EVERY_SIZE
        ]

    def with_values(self, buffer: Buffer, values: Sequence[int], seed: int) -> Edit:
        """Some elements are these."""
        new = with_values(kind_of(buffer), self.content(buffer), values, seed)
        return Edit(buffer.address, new)

    def with_nothing_but(self, buffer: Buffer, values: Sequence[int], seed: int) -> Edit:
        new = with_values(kind_of(buffer), self.content(buffer), values, seed, share=1)
        return Edit(buffer.address, new)


def kind_of(buffer: Buffer) -> ElementType:
    return buffer.element or UNKNOWN


def is_typed(buffer: Buffer) -> bool:
    return buffer.element is not None
