"""Registers of a wave as expressions of z3, vector registers of one lane. Pure.

Masks of lanes are whole; of the lanes of a vector one is followed, whichever. What is not known is
a number of its own: what holds for all such numbers holds in every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Optional

from rocm_perf_lab.prove.oracle.executed.flow import registers

_SCALAR = re.compile(r"(?:s\d+|vcc_lo|vcc_hi|exec_lo|exec_hi)$")
_VECTOR = re.compile(r"[va]\d+$")
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)$")
_WORD = 32
_PAIRS = {"vcc": ("vcc_lo", "vcc_hi"), "exec": ("exec_lo", "exec_hi")}
# Constants that are part of an instruction's own words have a sign at any width.
_INLINE = range(-16, 65)


class World:
    """Unknowns, and what is always true of them."""

    def __init__(self, z3: Any) -> None:
        self.z3 = z3
        self.facts: list[Any] = []
        self.lane = z3.BitVec("lane", 2 * _WORD)  # one bit is set
        self.facts += [self.lane != 0, self.lane & (self.lane - 1) == 0]
        self.firsts: list[Any] = []  # facts that hold if the lane is the first active one somewhere
        self.reached = z3.BoolVal(True)  # whether a run comes to what is executed now
        self._fresh = 0

    def word(self, bits: int = _WORD) -> Any:
        self._fresh += 1
        return self.z3.BitVec(f"w{self._fresh}", bits)

    def truth(self) -> Any:
        self._fresh += 1
        return self.z3.Bool(f"t{self._fresh}")


@dataclass
class State:
    """A register that is not mentioned gets its unknown when it is first read: ``start`` is shared
    by all states that follow from one."""

    world: World
    start: dict[str, Any] = field(default_factory=dict)
    held: dict[str, Any] = field(default_factory=dict)
    scc: Any = None

    def __post_init__(self) -> None:
        if self.scc is None:
            self.scc = self.world.truth()

    def copy(self) -> State:
        return State(self.world, self.start, dict(self.held), self.scc)

    def register(self, name: str) -> Any:
        if name in self.held:
            return self.held[name]
        if name not in self.start:
            self.start[name] = self.world.word()
        return self.start[name]

    def pair(self, names: tuple[str, str]) -> Any:
        low, high = map(self.register, names)
        return self.world.z3.Concat(high, low)

    @property
    def exec(self) -> Any:
        return self.pair(_PAIRS["exec"])

    @property
    def is_awake(self) -> Any:
        """The lane that is followed."""
        return self.exec & self.world.lane != 0

    def read(self, text: str, bits: int) -> Optional[Any]:
        """None where it is not known what the operand means."""
        if _NUMBER.match(text):
            number = int(text, 0)
            if bits > _WORD and number not in _INLINE:
                return None
            return self.world.z3.BitVecVal(number, bits)
        names = self.names(text)
        if len(names) * _WORD != bits:
            return None
        return self.register(names[0]) if bits == _WORD else self.pair((names[0], names[1]))

    @staticmethod
    def names(text: str) -> list[str]:
        """Of the registers that an operand is; none where it is anything else."""
        found = list(_PAIRS.get(text, ())) or list(registers(text))
        return found if all(is_known(one) for one in found) else []

    def write(self, text: str, value: Any) -> None:
        """A vector register of a lane that sleeps keeps what it holds."""
        z3, names = self.world.z3, self.names(text)
        assert len(names) * _WORD == value.size(), text
        for number, name in enumerate(names):
            part = z3.Extract(_WORD * number + _WORD - 1, _WORD * number, value)
            if is_vector(name):
                part = z3.If(self.is_awake, part, self.register(name))
            self.held[name] = part

    def forget(self, text: str) -> None:
        for name in self.names(text) or _named(text):
            self.held[name] = self.world.word()


def is_known(name: str) -> bool:
    return _SCALAR.match(name) is not None or is_vector(name)


def is_vector(name: str) -> bool:
    return _VECTOR.match(name) is not None


def _named(text: str) -> Iterator[str]:
    """Every register that an operand with modifiers mentions."""
    for one in re.findall(r"[vsa]\[\d+:\d+\]|[vsa]\d+|vcc(?:_lo|_hi)?|exec(?:_lo|_hi)?", text):
        yield from _PAIRS.get(one, ()) or registers(one)
