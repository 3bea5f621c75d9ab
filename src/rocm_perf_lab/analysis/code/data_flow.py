"""What an instruction takes from others, and for what: an address, or a value to work on.

``register_operands`` says which registers are read. Here VCC and EXEC are registers as well, and
those that make the address of an access are distinguished from what it stores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, instruction_class
from rocm_perf_lab.analysis.code.register_operands import (
    Operands,
    operands_of,
    register_bits,
    register_effect,
    register_numbers,
)

# Both have numbers among the scalar registers, which assembly does not write.
_NUMBERED = {"vcc": "s[106:107]", "exec": "s[126:127]"}
_NAMED = re.compile(r"\b(vcc|exec)(?:_lo|_hi)?\b")
_VCC, EXEC = (register_numbers(register_bits(place)) for place in _NUMBERED.values())
# Between lanes: they go through the LDS, and store nothing there.
SHUFFLES = ("ds_bpermute", "ds_permute", "ds_swizzle")
_DWORD = 4
# By what an opcode contains; the first that fits.
_BYTES = (
    *(("x4", 16), ("x3", 12), ("x2", 8), ("dword", 4)),
    *(("b128", 16), ("b96", 12), ("b64", 8), ("b32", 4)),
    *(("short", 2), ("16", 2), ("byte", 1), ("u8", 1), ("i8", 1)),
)


@dataclass(frozen=True)
class Flow:
    """Registers by number."""

    text: str
    opcode: str
    kind: InstructionClass
    writes: tuple[int, ...]
    sources: tuple[tuple[int, ...], ...]  # of each operand that is a value; the last may be kept
    address: tuple[int, ...] = ()  # of an access
    lane_bytes: int = 0  # of an access

    @property
    def is_load(self) -> bool:
        return bool(self.lane_bytes and self.writes)


@lru_cache(maxsize=65536)  # of a loop each instruction is asked for again and again
def flow_of(text: str) -> Flow:
    text = _NAMED.sub(lambda found: _NUMBERED[found.group(1)], text)
    opcode, kind, operands = text.partition(" ")[0], instruction_class(text), operands_of(text)
    effect = register_effect(text)
    writes = register_numbers(effect.writes)
    if kind is InstructionClass.SMEM:
        return Flow(text, opcode, kind, writes, (), register_numbers(effect.reads), _DWORD)
    if kind in (InstructionClass.VMEM, InstructionClass.LDS):
        address, values = _of_access(opcode, operands)
        return Flow(text, opcode, kind, writes, values, address, lane_bytes(opcode) or _DWORD)
    sources = tuple(map(_registers, operands.read))
    return Flow(
        text,
        opcode,
        kind,
        writes + (EXEC if _writes_exec(opcode) else ()),
        (*sources, *([writes] if operands.is_kept else []), *_unnamed(opcode)),
    )


def _of_access(
    opcode: str, operands: Operands
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Address and values. Atomics and stores have the value behind the address; buffers have it in
    front, where a load has its result."""
    read = operands.read
    if opcode.startswith(("buffer_", "tbuffer_", "image_")):
        values = () if operands.written else read[:1]
        return _registers(", ".join(read[len(values) :])), tuple(map(_registers, values))
    if opcode.startswith("ds_swizzle"):  # which lane to take is in the instruction
        return (), tuple(map(_registers, read))
    if opcode.startswith("ds_"):
        return _registers(read[0] if read else ""), tuple(map(_registers, read[1:]))
    stored = read[1:2] if "_store" in opcode or "_atomic" in opcode else ()
    address = read[:1] + read[1 + len(stored) :]
    return _registers(", ".join(address)), tuple(map(_registers, stored))


def _registers(text: str) -> tuple[int, ...]:
    return register_numbers(register_bits(text))


def lane_bytes(opcode: str) -> int:
    """Of an access, for each lane; 0 where the name does not say."""
    return next((size for part, size in _BYTES if part in opcode), 0)


def _writes_exec(opcode: str) -> bool:
    return "saveexec" in opcode or opcode.startswith("v_cmpx")


def _unnamed(opcode: str) -> tuple[tuple[int, ...], ...]:
    """What is read and no operand."""
    if "saveexec" in opcode or "_exec" in opcode:
        return (EXEC,)
    return (_VCC,) if "_vcc" in opcode else ()
