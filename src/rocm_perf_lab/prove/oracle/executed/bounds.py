"""Masks that cannot clear a bit, because what they mask is small by construction. Pure.

Shuffles mask a lane's number, and the compiler masks packed numbers of work-items: such a mask does
nothing for any input. Bounds are followed from one instruction to the next and forgotten wherever
code may be entered from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Optional

from rocm_perf_lab.collect.disassembly import Instruction

_LANES = 63  # the highest lane
_BRANCH = re.compile(r"s_(?:c?branch\w*|setpc\w*|swappc\w*|endpgm|call\w*)")
_OPERANDS = re.compile(r"^(?P<name>\w+)\s+(?P<operands>.*)$")
_SMALL_LOADS = {"_ubyte": 0xFF, "_u8": 0xFF, "_ushort": 0xFFFF, "_u16": 0xFFFF}


def idle_masks(listing: Sequence[Instruction]) -> frozenset[int]:
    """Addresses of the masks by a constant that leave their operand as it is, whatever is run."""
    targets = _targets(listing)
    known: dict[str, int] = {}  # the most that a register holds
    found = set()
    for instruction in listing:
        if instruction.address in targets or _BRANCH.match(instruction.text):
            known.clear()
        match = _OPERANDS.match(instruction.text)
        if match is None:
            continue
        name = match["name"]
        target, *sources = [one.strip() for one in match["operands"].split(",")]
        if name.startswith(("v_and_b32", "s_and_b32")) and _is_idle(sources, known):
            found.add(instruction.address)
        most = _most(name, sources, known)
        for register in _registers(target):
            known.pop(register, None)
        if most is not None:
            known[target] = most
    return frozenset(found)


def _is_idle(sources: Sequence[str], known: dict[str, int]) -> bool:
    constants = [one for one in map(_constant, sources) if one is not None]
    bounds = [known[one] for one in sources if one in known]
    low_bits = [c for c in constants if c & (c + 1) == 0]  # all ones from the lowest bit on
    return bool(low_bits and bounds) and min(bounds) <= low_bits[0]


def _most(name: str, sources: Sequence[str], known: dict[str, int]) -> Optional[int]:
    if name.startswith("v_mbcnt_lo"):
        return 31 if sources[-1:] == ["0"] else None
    if name.startswith("v_mbcnt_hi"):
        return _LANES if known.get(sources[-1]) == 31 else None
    constants = [one for one in map(_constant, sources) if one is not None]
    if name.startswith(("v_and_b32", "s_and_b32")) and constants:
        return min(constants)
    if name.startswith(("v_bfe_u32", "v_cndmask")):
        return None
    for ending, most in _SMALL_LOADS.items():
        if name.endswith(ending) and "load" in name:
            return most
    return None


def _constant(text: str) -> Optional[int]:
    try:
        number = int(text, 0)
    except ValueError:
        return None
    return number if number >= 0 else None


def _registers(target: str) -> Iterator[str]:
    """``v[2:3]`` is both."""
    match = re.fullmatch(r"([vsa])\[(\d+):(\d+)\]", target)
    if match is None:
        yield target
        return
    for number in range(int(match[2]), int(match[3]) + 1):
        yield f"{match[1]}{number}"


def _targets(listing: Sequence[Instruction]) -> frozenset[int]:
    """Where branches lead; their operand is a distance in dwords, with 16 bits."""
    found = set()
    for instruction in listing:
        match = re.match(r"s_c?branch\w* (\d+)", instruction.text)
        if match:
            distance = int(match[1])
            distance -= (distance & 0x8000) << 1
            found.add(instruction.address + instruction.size + 4 * distance)
    return frozenset(found)
