"""Finding out what the fields of an encoding accept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from isa_tables.oracle import HALF, VGPR, Answer, Words, ask, register_width

Rows = list[str]


def row(macro: str, opcode: int, name: str, *columns: object) -> str:
    return f"{macro}(0x{opcode:02x}, {name}" + "".join(f", {column}" for column in columns) + ")"


@dataclass(frozen=True)
class Field:
    """A source field: the register number the base encoding holds there and where it lies."""

    number: int
    word: int
    shift: int
    vector: bool = True  # nine bits, may name VGPRs

    def put(self, words: Words, value: int) -> Words:
        mask = (0x1FF if self.vector else 0xFF) << self.shift
        changed = list(words)
        changed[self.word] = (changed[self.word] & ~mask) | value << self.shift
        return tuple(changed)


Found = dict[int, tuple[Words, Answer]]


def first_true(default: str, *choices: tuple[object, str]) -> str:
    """The token of the first choice whose condition holds."""
    return next((token for condition, token in choices if condition), default)


@dataclass(frozen=True)
class Probe:
    """One source field before the oracle: as VGPR, as SGPR and as the inline constant 0.5."""

    vector: Optional[Answer]
    scalar: Optional[Answer]
    constant: Optional[Answer]


def probe_sources(found: Found, fields: Sequence[Field]) -> dict[int, list[Probe]]:
    """Every source field of every opcode as VGPR, SGPR and constant, asked in one batch."""
    questions: list[Words] = []
    for words, _ in found.values():
        for field in fields:
            vector = field.number + VGPR if field.vector else field.number
            for value in (vector, field.number, HALF):
                questions.append(field.put(words, value))
    answers = iter(ask(questions))
    return {
        op: [Probe(next(answers), next(answers), next(answers)) for _ in fields] for op in found
    }


CONSTANT_BITS = {0x3800: 16, 0x3F000000: 32, 0x3FE0000000000000: 64}


def source_type(name: str, number: int, probe: Probe, packed: bool = False) -> str:
    """The table's type token of a source: see operand_types.h for their meaning."""
    example = probe.vector or probe.scalar
    if example is None:
        return "NONE"
    width = register_width(example, number)
    if width == 0:
        return "NONE"
    kind = _constant_kind(name, probe.constant, width, packed) if probe.constant else ""
    if probe.vector is None:
        return f"SC{32 * width}" if kind else f"S{32 * width}"
    if probe.scalar is None:  # matrix operands; VD takes constants of 64 bits
        letters = "" if not kind else "D" if kind == "F64" else "C"
        return f"V{letters}{32 * width}"
    return kind or f"VS{32 * width}"


def _constant_kind(name: str, answer: Answer, width: int, packed: bool) -> str:
    sizes = {CONSTANT_BITS[value] for value in answer.immediates if value in CONSTANT_BITS}
    if sizes == {16}:
        if packed:
            return "V2F16"
        return "I16" if "0x3800" in answer.text else "F16"
    if sizes == {32}:
        return "V2F32" if width == 2 else "B32"
    if sizes == {64}:
        return "F64" if "f64" in name else "I64" if "_i64" in name else "B64"
    raise SystemExit(f"{name}: no known constant among {answer.immediates} of {answer.text}")


def patterns(base: Words, bits: Iterable[tuple[int, int]]) -> list[Words]:
    """`base` with each of the (word, bit) flipped in turn."""
    flipped: list[Words] = []
    for word, bit in bits:
        words = list(base)
        words[word] ^= 1 << bit
        flipped.append(tuple(words))
    return flipped


def masks(base: Answer, answers: Sequence[Optional[Answer]]) -> tuple[int, int]:
    """(bits that change the text, bits that must stay as they are) of the flipped encodings."""
    used = fixed = 0
    for position, answer in enumerate(answers):
        if answer is None:
            fixed |= 1 << position
        elif answer.text != base.text:
            used |= 1 << position
    return used, fixed


def first_accepted(candidates: Mapping[int, Sequence[Words]]) -> Found:
    """Per opcode the first of its candidate encodings that LLVM takes."""
    flat = [(opcode, words) for opcode, group in candidates.items() for words in group]
    found: Found = {}
    for (opcode, words), answer in zip(flat, ask([words for _, words in flat])):
        if answer is not None and opcode not in found:
            found[opcode] = (words, answer)
    return found
