"""A listing as operands and blocks: where branches lead, what follows what. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.collect.disassembly import Instruction
from rocm_perf_lab.prove.oracle.executed.known import Operand

_ALL = (1 << 32) - 1
_OPERANDS = re.compile(r"^(?P<name>\w+)(?:\s+(?P<operands>.*))?$")
_REGISTER = re.compile(r"[vsa]\d+|vcc_lo|vcc_hi|m0|ttmp\d+")
_BRANCH = re.compile(r"s_c?branch\w*$")
_LEAVES = ("s_endpgm", "s_branch", "s_trap")
# Scalar instructions that leave SCC as it is; vector and memory instructions all do.
_KEEP_SCC = re.compile(
    r"s_(?:mov|cmov|cselect|load|buffer_load|scratch_load|waitcnt|nop|mul_|barrier|branch|cbranch|"
    r"movk|getreg|sleep|setprio|dcache|icache|memtime|pack|brev|sext|ff|flbit|bitset|endpgm)"
)
_SECOND_TARGET = re.compile(r"v_(?:\w+_co_|mad_[iu]64|div_scale)")
# Jumps to a register: where they lead is not in the code.
_UNKNOWN = ("s_setpc", "s_swappc", "s_call", "s_cbranch_g", "s_cbranch_join", "s_rfe")


@dataclass(frozen=True)
class Parsed:
    name: str
    operands: tuple[str, ...]

    @property
    def sources(self) -> tuple[Operand, ...]:
        return tuple(map(operand, self.operands[1:]))


@dataclass(frozen=True)
class Block:
    begin: int  # indices
    end: int
    after: tuple[tuple[Optional[bool], int], ...]  # what SCC must be, and the block that follows


def has_unknown_jumps(code: Sequence[Parsed]) -> bool:
    return any(map(is_unknown_jump, code))


def is_unknown_jump(one: Parsed) -> bool:
    return one.name.startswith(_UNKNOWN)


def is_branch(one: Parsed) -> bool:
    return _BRANCH.match(one.name) is not None


def keeps_scc(one: Parsed) -> bool:
    return _KEEP_SCC.match(one.name) is not None or not one.name.startswith("s_")


def written(one: Parsed) -> tuple[str, ...]:
    """The operands that an instruction writes, stores too."""
    return one.operands[: 2 if _SECOND_TARGET.match(one.name) else 1]


def blocks_of(listing: Sequence[Instruction], code: Sequence[Parsed]) -> dict[int, Block]:
    index = {one.address: number for number, one in enumerate(listing)}
    targets = {
        at: index.get(target)
        for at, target in ((at, _target(listing[at], code[at])) for at in range(len(code)))
        if target is not None
    }
    begins = {0, *(at for at in targets.values() if at is not None)}
    begins |= {at + 1 for at in range(len(code) - 1) if at in targets or _leaves(code[at])}
    ordered = [*sorted(begins), len(code)]
    found = {}
    for begin, end in zip(ordered, ordered[1:]):
        last = end - 1
        name, target = code[last].name, targets.get(last)
        after: list[tuple[Optional[bool], int]] = []
        asks = {"s_cbranch_scc1": True, "s_cbranch_scc0": False}.get(name)
        if target is not None:
            after.append((asks, target))
        if not _leaves(code[last]) and end < len(code):
            after.append((None if asks is None else not asks, end))
        found[begin] = Block(begin, end, tuple(after))
    return found


def _leaves(one: Parsed) -> bool:
    return one.name.startswith(_LEAVES)


def _target(instruction: Instruction, one: Parsed) -> Optional[int]:
    """Where a branch leads; its operand is a distance in dwords, with 16 bits."""
    if not _BRANCH.match(one.name):
        return None
    distance = int(one.operands[0].split()[0], 0) & 0xFFFF
    distance -= (distance & 0x8000) << 1
    return instruction.address + instruction.size + 4 * distance


def parsed(text: str) -> Parsed:
    match = _OPERANDS.match(text.split("//")[0].strip())
    if match is None:
        return Parsed(text, ())
    operands = tuple(one.strip() for one in (match["operands"] or "").split(",") if one.strip())
    return Parsed(match["name"], operands)


def operand(text: str) -> Operand:
    """A register or a number; anything else stays text, of which nothing is known."""
    try:
        return int(text, 0) & _ALL
    except ValueError:
        return text


def is_register(text: str) -> bool:
    return _REGISTER.fullmatch(text) is not None


def registers(target: str) -> Iterator[str]:
    """``v[2:3]`` is both."""
    match = re.fullmatch(r"([vsa])\[(\d+):(\d+)\]", target)
    if match is not None:
        for number in range(int(match[2]), int(match[3]) + 1):
            yield f"{match[1]}{number}"
    elif target == "vcc":
        yield from ("vcc_lo", "vcc_hi")
    else:
        yield target
