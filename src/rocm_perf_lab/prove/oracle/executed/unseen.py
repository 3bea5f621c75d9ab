"""Code that no trial executed, or on one side only. Pure.

An instruction is told by its mnemonic and its constants: registers and places differ between
versions of the same code. What is unseen in a candidate counts only if the captured code does not
have the same, as unseen; what is unseen in the captured code and gone in the candidate counts, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.collect.disassembly import Instruction
from rocm_perf_lab.prove.oracle.executed.bounds import idle_masks
from rocm_perf_lab.replay.coverage import ACTIVE, FALSE, NOT_TAKEN, REACHED, TAKEN, TRUE, Covered

Coverage = Mapping[int, Covered]  # by offset from the kernel's first instruction

_REGISTER = re.compile(
    r"\b(?:[vsa]\d+|[vsa]\[\d+:\d+\]|ttmp\d+|vcc(?:_lo|_hi)?|exec(?:_lo|_hi)?|m0|scc|off)\b"
)
_NUMBER = re.compile(r"(?<![\w.])-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?)\b")
_VECTOR = re.compile(r"(?:v|ds|global|flat|buffer|tbuffer|scratch)_")
_SAYS_NOTHING = re.compile(r"s_(?:nop|waitcnt\w*|code_end|endpgm|branch|barrier|set\w*|sleep)\b")
# Whether any lane is left: the sides of the comparison before, and the lanes behind, tell more.
_ANY_LANE = re.compile(r"s_cbranch_exec")
_BRANCH = re.compile(r"s_cbranch_")
_COMPARISON = re.compile(r"(?:v_cmpx?_(?!class)|s_cmpk?_|s_bitcmp)")
_CHOICE = re.compile(r"(?:v_cndmask|s_cselect|v_(?:min|max|med3)|s_(?:min|max)_)")
_MASK = re.compile(r"(?:v_and_b32|s_and_b32)")
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


def unseen(listing: Sequence[Instruction], covered: Coverage) -> tuple[Unseen, ...]:
    found = []
    entry = listing[0].address if listing else 0
    idle = idle_masks(listing)
    condition = ""
    for instruction in listing:
        text = instruction.text
        if _COMPARISON.match(text):
            condition = _shape(text)
        if _SAYS_NOTHING.match(text) or instruction.address in idle:
            continue
        offset = instruction.address - entry
        for what in _missing(text, covered.get(offset)):
            shape = _shape(text)
            if _BRANCH.match(text):
                shape = f"{shape} behind {condition}"
            found.append(Unseen(offset, what, text, instruction.source, (what, shape)))
    return tuple(found)


def not_in(mine: Sequence[Unseen], others: Sequence[Unseen]) -> tuple[Unseen, ...]:
    known = {one.shape for one in others}
    return tuple(one for one in mine if one.shape not in known)


def constants(listing: Sequence[Instruction]) -> tuple[int, ...]:
    """Numbers that the code compares, masks or selects with: values worth trying."""
    found: dict[int, None] = {}
    for instruction in listing:
        for number in _literals(instruction.text):
            found.setdefault(number, None)
    return tuple(found)


def _missing(text: str, seen: Optional[Covered]) -> Iterator[str]:
    facts = 0 if seen is None else seen.facts
    if not facts & (ACTIVE if _VECTOR.match(text) else REACHED):
        yield "never executed"
        return
    if _ANY_LANE.match(text):
        return
    if _BRANCH.match(text):
        if not facts & TAKEN:
            yield "never taken"
        if not facts & NOT_TAKEN:
            yield "always taken"
    elif (_COMPARISON.match(text) and not _ALWAYS.search(text)) or _CHOICE.match(text):
        if not facts & TRUE:
            yield "only one side (the second)"
        if not facts & FALSE:
            yield "only one side (the first)"
    elif _MASK.match(text) and not facts & TRUE:
        yield "a mask that never cleared a bit"


def _shape(text: str) -> str:
    return " ".join(_REGISTER.sub("r", text.split("//")[0]).split())


_WORDS = re.compile(
    r"(?:v_cmp|s_cmp|v_cndmask|s_cselect|s_mov_b32|v_mov_b32|s_movk|v_and|s_and|"
    r"v_min|v_max|s_min|s_max|v_med3|s_bitcmp|v_add|s_add|v_sub|s_sub|v_lshr|"
    r"s_lshr|v_mul|s_mul)"
)


def _literals(text: str) -> Iterator[int]:
    if not _WORDS.match(text):
        return
    operands = _REGISTER.sub(" ", text.partition(" ")[2])
    for word in _NUMBER.findall(operands):
        if "." in word:
            continue
        number = int(word, 0)
        yield number & 0xFFFF_FFFF if number >= 0 else number
