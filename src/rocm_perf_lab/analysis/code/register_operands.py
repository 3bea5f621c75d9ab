"""Which registers an AMD GPU instruction reads and writes, from its text.

Assembly names every register with its width, so the text is enough; what differs is how many of the
operands in front are written, and whether the old value survives in part. The tables below say so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, instruction_class

# Registers are bits of one integer: vector ones from 0, accumulation ones and scalar ones above.
_KINDS = {"v": 0, "a": 1024, "s": 2048}
_EACH = 1024
VECTOR, ACCUMULATION, SCALAR = (((1 << _EACH) - 1) << shift for shift in _KINDS.values())

_REGISTER = re.compile(r"(?<![\w.])([vas])(?:(\d+)\b|\[(\d+):(\d+)\])")
_OPERANDS_APART = re.compile(r",\s*(?![^\[(]*[\])])")  # not the commas inside brackets
_RETURNS = re.compile(r"\b(?:sc0|glc|TH_ATOMIC_RETURN)\b")
_FULL_ROWS = re.compile(r"bound_ctrl")
_SOME_LANES = re.compile(r"(?:row|bank)_mask:0x[0-9a-e]\b")

_SCALAR_WITHOUT_RESULT = re.compile(
    r"s_(?:cmp|bitcmp|set(?!_gpr_idx_idx)|wait|store|buffer_store|scratch_store|dcache|prefetch|"
    r"barrier|trap|rfe|version)"
)
_SCALAR_KEEPS = re.compile(r"s_(?:cmov|cmovk|addk|mulk|bitset|fmac)")
_LDS_RESULT = re.compile(r"read|load|permute|swizzle|append|consume|_rtn")
_MEMORY_RESULT = re.compile(r"_(?:load|sample|gather|get_|msaa|bvh)")
_TWO_RESULTS = re.compile(
    r"v_(?:(?:add|sub|subrev|addc|subb|subbrev)_co_|div_scale|mad_[iu]64_[iu]32|mad_co_|swap|"
    r"permlane\d+_swap)"
)
_VECTOR_KEEPS = re.compile(
    r"v_(?:mac|fmac|pk_fmac|dot\d+(?:c|acc)_|mad_mix(?:lo|hi)|fma_mix(?:lo|hi)|writelane|smfmac|swmmac|"
    r"swap|permlane\d+_swap|movreld|cvt_sr_|cvt_scalef32_sr_|cvt_pk_(?:fp|bf)8|interp_p2)"
)
_BOTH = " :: "
INDEXED = re.compile(r"[vs]_movrel|s_set_gpr_idx|v_swaprel")


@dataclass(frozen=True)
class Effect:
    """Sets of registers, as bits."""

    reads: int
    writes: int


def register_bits(text: str) -> int:
    """All registers that a piece of assembly names."""
    bits = 0
    for kind, one, first, last in _REGISTER.findall(text):
        low, high = (int(one), int(one)) if one else (int(first), int(last))
        if low <= high < _EACH:
            bits |= ((1 << (high - low + 1)) - 1) << (_KINDS[kind] + low)
    return bits


@dataclass(frozen=True)
class Operands:
    """Of one instruction, as texts."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    is_kept: bool  # of what is written something is still there afterwards


def operands_of(text: str) -> Operands:
    opcode, _, rest = text.partition(" ")
    operands = tuple(_OPERANDS_APART.split(rest.strip())) if rest.strip() else ()
    results = _results(opcode, operands, rest)
    return Operands(operands[:results], operands[results:], _keeps_a_part(opcode, rest))


def register_numbers(bits: int) -> tuple[int, ...]:
    """Of a set, each one's bit; the lowest first."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)


def register_effect(text: str) -> Effect:
    """VCC, EXEC, M0 and SCC are no numbered registers and do not appear."""
    first, two, second = text.partition(_BOTH)
    if two:  # a pair that is issued at once
        one, other = (register_effect(half.replace("v_dual_", "v_")) for half in (first, second))
        return Effect(one.reads | other.reads, one.writes | other.writes)
    operands = operands_of(text)
    writes = register_bits(", ".join(operands.written))
    reads = register_bits(", ".join(operands.read))
    if operands.is_kept:
        reads |= writes
    return Effect(reads, writes)


def _results(opcode: str, operands: Sequence[str], rest: str) -> int:
    """How many of the operands in front are written."""
    kind = instruction_class(opcode)
    if kind in (InstructionClass.VALU, InstructionClass.MFMA):
        return _vector_results(opcode, operands)
    if kind is InstructionClass.LDS:
        return 1 if _LDS_RESULT.search(opcode) else 0
    if kind is InstructionClass.VMEM:
        return _memory_results(opcode, rest)
    if kind in (InstructionClass.SALU, InstructionClass.SMEM):
        if opcode.startswith(("s_atomic", "s_buffer_atomic")):
            return 1 if _RETURNS.search(rest) else 0
        return 0 if _SCALAR_WITHOUT_RESULT.match(opcode) else 1
    return 1 if opcode.startswith(("s_swappc", "s_call")) else 0


def _vector_results(opcode: str, operands: Sequence[str]) -> int:
    if opcode.startswith("v_nop"):
        return 0
    if opcode.startswith("v_cmp"):  # v_cmpx of gfx10 and later names no result: it is EXEC
        return 1 if len(operands) > 2 else 0
    return 2 if _TWO_RESULTS.match(opcode) else 1


def _memory_results(opcode: str, rest: str) -> int:
    if "_atomic" in opcode:
        return 1 if _RETURNS.search(rest) else 0
    to_lds = "_lds_" in opcode or rest.endswith(" lds") or " lds " in rest
    return 1 if _MEMORY_RESULT.search(opcode) and not to_lds else 0


def _keeps_a_part(opcode: str, rest: str) -> bool:
    """Whether something of the old value is still there afterwards."""
    if opcode.startswith(("buffer_atomic", "image_atomic")):
        return True  # the value to add comes in the register of the result
    if _VECTOR_KEEPS.match(opcode) or _SCALAR_KEEPS.match(opcode):
        return True
    if "_d16" in opcode or "UNUSED_PRESERVE" in rest:
        return True
    if "_dpp" in opcode or "row_mask" in rest:
        return not _FULL_ROWS.search(rest) or bool(_SOME_LANES.search(rest))
    return "op_sel:" in rest and not opcode.startswith("v_pk_")
