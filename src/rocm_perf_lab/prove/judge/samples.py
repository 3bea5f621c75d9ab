"""What the judge looks at: times of single dispatches, by process, by block."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rocm_perf_lab.errors import SamplesError

UNITS = ("ns", "us", "ms", "s", "number")  # the last: as a program prints it, of its own unit
MOST_BLOCKS = 2000
_EVEN = (
    "compare programs that launch the kernel equally often; else give one time per process, the sum"
    " of its launches"
)

Times = tuple[float, ...]


@dataclass(frozen=True)
class Block:
    """Three processes that ran in sequence in random order: two of the baseline, one of
    the candidate. The times of each are those of its dispatches, in the order of the program."""

    a: Times
    a2: Times
    b: Times

    def processes(self) -> tuple[Times, Times, Times]:
        return self.a, self.a2, self.b


@dataclass(frozen=True)
class Samples:
    unit: str
    blocks: tuple[Block, ...]

    def check(self) -> Samples:
        """Raises SamplesError when they cannot be judged at all."""
        if self.unit not in UNITS:
            raise SamplesError(
                f"unknown unit {self.unit!r} of the samples", f"one of {', '.join(UNITS)}"
            )
        if not self.blocks:
            raise SamplesError("the samples hold no block", "measure at least 10 blocks")
        if len(self.blocks) > MOST_BLOCKS:
            raise SamplesError(f"{len(self.blocks)} blocks: more than {MOST_BLOCKS} are not judged")
        for problem in _problems(self.blocks):
            raise SamplesError(problem, "measure that block again; no time may be left out or made")
        for problem in _uneven(self.blocks):
            raise SamplesError(problem, _EVEN)
        return self


def _problems(blocks: tuple[Block, ...]) -> Iterator[str]:
    for index, block in enumerate(blocks):
        for name, times in zip(("A", "A2", "B"), block.processes()):
            if not times:
                yield f"block {index}: {name} holds no time"
            for place, time in enumerate(times):
                if not math.isfinite(time):
                    yield f"block {index}: {name}[{place}] is {time}, not a finite time"
                if time <= 0:
                    yield f"block {index}: {name}[{place}] is {time}; a time is above 0"


def _uneven(blocks: tuple[Block, ...]) -> Iterator[str]:
    """The first process that launched the kernel more or less often than the first of all: a sum,
    and the part of a sum, say nothing about speed then."""
    expected = len(blocks[0].a)
    for index, block in enumerate(blocks):
        for name, times in zip(("A", "A2", "B"), block.processes()):
            if len(times) != expected:
                yield (
                    f"block {index}: {name} holds {len(times)} times, A of block 0 holds {expected}"
                    f": {_who(name)} launches"
                )


def _who(name: str) -> str:
    if name == "B":
        return "baseline and candidate differ in their number of"
    return "processes of the baseline itself differ in their number of"
