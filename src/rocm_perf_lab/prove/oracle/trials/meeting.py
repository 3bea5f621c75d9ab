"""Pointers that lead where another one does, or one element further. Pure.

Hosts may never launch that: it only shows code that asks for it at work. The inputs are others than
the captured ones, because those may already be what the launch makes of them. Where a workgroup
reads what another one writes, the captured code itself races; one wave alone does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Optional

from rocm_perf_lab.prove.oracle.numbers.mutation import MUTATIONS
from rocm_perf_lab.prove.oracle.passed.arguments import Pointer, argument_edit, pointers_of
from rocm_perf_lab.prove.oracle.scene import MEETING, Scene
from rocm_perf_lab.prove.oracle.trials.setting import Setting, kind_of
from rocm_perf_lab.prove.oracle.trials.shapes import one_wave
from rocm_perf_lab.prove.oracle.trials.sizes import shaped
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit

_MOST_PAIRS = 6
_INPUTS = MUTATIONS[:2]
_WHY = frozenset([MEETING])


@dataclass(frozen=True)
class Meetings:
    """``grown``: where the buffers have room for more than the captured sizes."""

    capture: Capture
    captured: Setting
    grown: Sequence[Setting]
    seed: int

    def scenes(self) -> Iterator[Scene]:
        for one, other in self._pairs():
            name = f"{one.name} is {other.name}"
            lead = self._leading(one, other.value)
            for mutation in _INPUTS:
                edits = [*self.captured.mutated(mutation, self.seed), lead]
                scene = self.captured.scene(f"{name}, input: {mutation.name}", "addresses", edits)
                yield replace(scene, departures=_WHY)
            yield from self._by_one_wave(name, self.captured, lead)
            for setting in self.grown[:1]:
                further = self._further(setting, one, other)
                if further is not None:
                    name = f"{one.name} is one element behind {other.name}"
                    yield from self._by_one_wave(name, setting, further)

    def _pairs(self) -> Iterator[tuple[Pointer, Pointer]]:
        """The second one leads to an input, if either does: there is content."""
        inputs = {one.place for one in self.captured.inputs}
        pointers = [one for one in pointers_of(self.capture) if one.value]
        for pair in itertools.islice(itertools.combinations(pointers, 2), _MOST_PAIRS):
            one, other = sorted(pair, key=lambda pointer: pointer.offset in inputs)
            if one.value != other.value:
                yield one, other

    def _by_one_wave(self, name: str, setting: Setting, lead: Edit) -> Iterator[Scene]:
        shape = one_wave(self.capture)
        if shape is None:
            return
        edits = [*setting.mutated(_INPUTS[0], self.seed), lead]
        scene = setting.scene(f"{name}, one wave", "addresses", edits)
        yield shaped(self.capture, replace(scene, departures=_WHY), shape)

    def _further(self, setting: Setting, one: Pointer, other: Pointer) -> Optional[Edit]:
        for buffer in setting.inputs:
            if buffer.place == other.offset:
                return self._leading(one, buffer.address + kind_of(buffer).size)
        return None

    def _leading(self, one: Pointer, address: int) -> Edit:
        return argument_edit(self.capture, one.offset, address.to_bytes(8, "little"))
