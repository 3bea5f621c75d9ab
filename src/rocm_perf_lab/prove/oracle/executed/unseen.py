"""Code that no trial executed, or on one side only. Pure.

An instruction is told by its mnemonic and its constants: registers and places differ between
versions of the same code. What is unseen in a candidate counts only if the captured code does not
have the same, as unseen; what is unseen in the captured code and gone in the candidate counts, too.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.collect.disassembly import Instruction
from rocm_perf_lab.prove.oracle.executed.conditions import is_conjunction, pairs
from rocm_perf_lab.prove.oracle.executed.copies import copies
from rocm_perf_lab.prove.oracle.executed.feasible import Feasible, feasible
from rocm_perf_lab.prove.oracle.executed.flow import blocks_of, parsed
from rocm_perf_lab.prove.oracle.executed.shape import REGISTER, shape_of
from rocm_perf_lab.replay.coverage import (
    ACTIVE,
    FALSE,
    NOT_TAKEN,
    REACHED,
    TAKEN,
    TRUE,
    Covered,
)

Coverage = Mapping[int, Covered]  # by offset from the kernel's first instruction

_NUMBER = re.compile(r"(?<![\w.])-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?)\b")
_VECTOR = re.compile(r"(?:v|ds|global|flat|buffer|tbuffer|scratch)_")
# A branch follows from comparisons, whose sides are asked for, and leads to code that is, too.
_SAYS_NOTHING = re.compile(
    r"s_(?:nop|waitcnt\w*|code_end|endpgm|c?branch\w*|barrier|set\w*|sleep)\b"
)
# Of lanes or of a pointer: comparisons of lanes, and the code behind, say more.
_MASK_TEST = re.compile(r"s_cmp_(?:eq|lg)_u64 \S+, 0$")
NEVER = "never executed"
ONLY_FIRST = "only the first side was seen"
ONLY_SECOND = "only the second side was seen"
CLEARED = "a mask that never cleared a bit"
FIRST_IDLE = "the first of two conditions never decided"
SECOND_IDLE = "the second of two conditions never decided"
NOT_BOTH = "two conditions that were never true together"
NOT_NEITHER = "two conditions that were never false together"
_COMPARISON = re.compile(r"(?:v_cmpx?_(?!class)|s_cmpk?_|s_bitcmp)")
_CHOICE = re.compile(r"(?:v_cndmask|s_cselect|v_(?:min|max|med3)|s_(?:min|max)_)")
_MASK = re.compile(r"(?:v_and_b32|s_and_b32)")
_SIDES = TRUE | FALSE | TAKEN | NOT_TAKEN
_ALWAYS = re.compile(r"_(?:t|f|tru)_")  # compares to a constant answer


@dataclass(frozen=True)
class Unseen:
    offset: int
    what: str  # "never executed"
    text: str  # the instruction
    source: str  # "file:line", empty without line tables
    shape: tuple[str, str]

    def __str__(self) -> str:
        where = f" ({self.source})" if self.source else ""
        return f"{self.what}: {self.text}{where}"


@dataclass(frozen=True)
class Code:
    """A listing with what can be said of it before anything is executed."""

    listing: Sequence[Instruction]
    possible: Feasible
    copied: Mapping[int, Sequence[int]]
    pairs: Mapping[int, str]  # what instructions ask that ask two conditions at once, by address

    @classmethod
    def of(cls, listing: Sequence[Instruction]) -> Code:
        code = [parsed(one.text) for one in listing]
        asked = pairs(code, blocks_of(listing, code)) if code else {}
        both = {listing[at].address: shape for at, shape in asked.items()}
        return cls(listing, feasible(listing), copies(listing), both)


def unseen(code: Code, covered: Coverage) -> tuple[Unseen, ...]:
    found = []
    listing, possible, copied = code.listing, code.possible, code.copied
    entry = listing[0].address if listing else 0
    for instruction in listing:
        text = instruction.text
        if _SAYS_NOTHING.match(text) or not possible.can_reach(instruction.address):
            continue
        offset = instruction.address - entry
        sides = TRUE | FALSE if instruction.address in possible.sideless else 0
        for address in copied.get(instruction.address, ()):
            seen = covered.get(address - entry)
            sides |= 0 if seen is None else seen.facts & _SIDES
        what = _missing(text, covered.get(offset), sides, possible.only.get(instruction.address))
        if what is None and instruction.address in code.pairs:
            what = _undecided(text, covered[offset].facts | sides)
        if what is not None:
            kind = NEVER if what == NEVER else "one side"
            shape = code.pairs.get(instruction.address, shape_of(text))
            found.append(Unseen(offset, what, text, instruction.source, (kind, shape)))
    return tuple(found)


def is_vector_work(name: str) -> bool:
    return _VECTOR.match(name) is not None


def never_executed(found: Sequence[Unseen]) -> tuple[Unseen, ...]:
    return tuple(one for one in found if one.what == NEVER)


def not_in(mine: Sequence[Unseen], others: Sequence[Unseen]) -> tuple[Unseen, ...]:
    known = {one.shape for one in others}
    return tuple(one for one in mine if one.shape not in known)


def that_show_more(coverages: Sequence[Coverage]) -> list[int]:
    """Numbers of those that show an instruction or a side which none before them does."""
    seen: dict[int, int] = {}
    found = []
    for number, coverage in enumerate(coverages):
        if any(one.facts & ~seen.get(offset, 0) for offset, one in coverage.items()):
            found.append(number)
        for offset, one in coverage.items():
            seen[offset] = seen.get(offset, 0) | one.facts
    return found


def constants(listing: Sequence[Instruction]) -> tuple[int, ...]:
    """Numbers that the code compares, masks or selects with: values worth trying. Of a float, the
    bits of an f32."""
    found: dict[int, None] = {}
    for instruction in listing:
        for number in _literals(instruction.text):
            found.setdefault(number, None)
    return tuple(found)


def _missing(text: str, seen: Optional[Covered], sides: int, only: Optional[bool]) -> Optional[str]:
    """``sides``: that need not be seen here; ``only``: the one that any run can see, if it is."""
    facts = sides | (0 if seen is None else seen.facts)
    if not facts & (ACTIVE if is_vector_work(text) else REACHED):
        return NEVER
    compares = _COMPARISON.match(text) and not _ALWAYS.search(text) and not _MASK_TEST.match(text)
    if compares or (_CHOICE.match(text) and not _is_alone(text)):
        if not facts & TRUE and only is not False:
            return ONLY_SECOND
        if not facts & FALSE and only is not True:
            return ONLY_FIRST
    elif _MASK.match(text) and not facts & TRUE and only is not False:
        return CLEARED
    return None


def _undecided(text: str, facts: int) -> Optional[str]:
    """Of two conditions at once: each decides where the other one would not."""
    conjunction = is_conjunction(text)
    if not facts & TRUE:  # the first one alone
        return SECOND_IDLE if conjunction else FIRST_IDLE
    if not facts & FALSE:
        return FIRST_IDLE if conjunction else SECOND_IDLE
    if not facts & (TAKEN if conjunction else NOT_TAKEN):
        return NOT_BOTH if conjunction else NOT_NEITHER
    return None


def _is_alone(text: str) -> bool:
    """The largest of a number and itself: how the compiler makes NaNs quiet."""
    sources = [one.strip() for one in text.partition(" ")[2].split(",")][1:]
    return len(sources) > 1 and len(set(sources[:2])) == 1


_WORDS = re.compile(
    r"(?:v_cmp|s_cmp|v_cndmask|s_cselect|s_mov_b32|v_mov_b32|s_movk|v_and|s_and|"
    r"v_min|v_max|s_min|s_max|v_med3|s_bitcmp|v_add|s_add|v_sub|s_sub|v_lshr|"
    r"s_lshr|v_mul|s_mul)"
)


def _literals(text: str) -> Iterator[int]:
    if not _WORDS.match(text):
        return
    operands = REGISTER.sub(" ", text.partition(" ")[2])
    for word in _NUMBER.findall(operands):
        if "." in word:
            if not (_COMPARISON.match(text) or _CHOICE.match(text)):
                continue  # factors and terms
            yield int.from_bytes(struct.pack("<f", float(word)), "little")
            continue
        number = int(word, 0)
        yield number & 0xFFFF_FFFF if number >= 0 else number
