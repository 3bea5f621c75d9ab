"""The corrections at the end of a division of unsigned integers have no sides. Pure.

The compiler divides by multiplying with an estimate of the reciprocal, and adds at most two to the
quotient that comes out: ``r = x - q * y; if (r >= y) r -= y, ++q``, twice. Few divisors need the
second one. The whole chain from ``v_rcp_iflag_f32`` on is followed: no source code reaches that
instruction but by dividing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Optional

from rocm_perf_lab.prove.oracle.executed.flow import Block, Parsed, registers

_COMPARISONS = ("v_cmp_le_u32", "v_cmp_ge_u32", "s_cmp_le_u32", "s_cmp_ge_u32")
_CHOICES = ("v_cndmask_b32", "s_cselect_b32")
_ADDITIONS = ("v_add_u32", "s_add_i32", "s_add_u32")
_SUBTRACTIONS = ("v_sub_u32", "s_sub_i32", "s_sub_u32")
_PRODUCTS = ("v_mul_lo_u32", "s_mul_i32")
_HIGH_PRODUCTS = ("v_mul_hi_u32", "s_mul_hi_u32")
_TWO_RESULTS = ("v_mad_u64", "v_mad_i64", "v_add_co", "v_sub_co", "v_addc", "v_subb", "v_div_scale")
_COPIES = ("v_cvt_u32_f32", "v_readfirstlane_b32", "v_mov_b32", "s_mov_b32")


@dataclass(frozen=True)
class _Fact:
    """What a register holds of a division by the register ``y``."""

    what: str
    y: str
    division: int = -1  # where its quotient is first computed
    x: str = ""  # the register that is divided, as long as it holds that


def corrections(code: Sequence[Parsed], block: Block) -> set[int]:
    """Indices of the comparisons and choices."""
    known: dict[str, _Fact] = {}
    asked: Optional[_Fact] = None  # what the last comparison was about
    found = set()
    for at in range(block.begin, block.end):
        one = code[at]
        if one.name.startswith(_COMPARISONS):
            asked = _compared(one, known)
            if asked is not None:
                found.add(at)
        elif one.name.startswith(("s_cmp", "v_cmp")):
            asked = None
        fact = _result(one, at, known)
        if one.name.startswith(_CHOICES) and asked is not None:
            fact = _chosen(one, known, asked)
            if fact is not None:
                found.add(at)
        for register in _written(one):
            known = dict(_without(register, known))
        if fact is not None and one.operands[0] != fact.y:
            known[one.operands[0]] = fact
    return found


def _written(one: Parsed) -> Iterator[str]:
    if one.name.startswith(("s_cmp", "s_bitcmp")):
        return
    for operand in one.operands[: 2 if one.name.startswith(_TWO_RESULTS) else 1]:
        yield from registers(operand)


def _without(register: str, known: dict[str, _Fact]) -> Iterator[tuple[str, _Fact]]:
    for mine, fact in known.items():
        if register not in (mine, fact.y):
            yield mine, replace(fact, x="") if fact.x == register else fact


def _result(one: Parsed, at: int, known: dict[str, _Fact]) -> Optional[_Fact]:
    if len(one.operands) < 2:
        return None
    name, (first, *rest) = one.name, one.operands[1:]
    second = rest[0] if rest else ""
    facts = [known.get(first), known.get(second)]
    holds = {fact.what: fact for fact in facts if fact is not None}
    if name.startswith("v_cvt_f32_u32"):
        return _Fact("float", first)
    if name.startswith("v_rcp_iflag_f32") and "float" in holds:
        return _Fact("estimate", holds["float"].y)
    if name.startswith(_COPIES) and "estimate" in holds:
        return holds["estimate"]
    if name.startswith("v_mul_f32") and "estimate" in holds and "0x4f7ffffe" in (first, second):
        return holds["estimate"]
    if name.startswith(_HIGH_PRODUCTS) and "estimate" in holds:
        estimate = holds["estimate"]
        if "error" in holds:
            return _Fact("refinement", estimate.y)
        return _Fact("quotient", estimate.y, at, second if facts[0] == estimate else first)
    if name.startswith(_PRODUCTS):
        return _product(holds, first, second)
    if name.startswith(_ADDITIONS):
        if "refinement" in holds and "estimate" in holds:
            return holds["estimate"]
        if "quotient" in holds and "1" in (first, second):
            return replace(holds["quotient"], what="one more")
    return _difference(name, holds, first, second)


def _product(holds: dict[str, _Fact], first: str, second: str) -> Optional[_Fact]:
    if "estimate" in holds:
        return _Fact("error", holds["estimate"].y)
    quotient = holds.get("quotient")
    if quotient is not None and quotient.y in (first, second):
        return replace(quotient, what="product")
    return None


def _difference(name: str, holds: dict[str, _Fact], first: str, second: str) -> Optional[_Fact]:
    if name.startswith("v_subrev_u32"):
        first, second = second, first
    elif not name.startswith(_SUBTRACTIONS):
        return None
    product, remainder = holds.get("product"), holds.get("remainder")
    if product is not None and product.x == first:
        return replace(product, what="remainder", x="")
    if remainder is not None and remainder.y == second:
        return replace(remainder, what="one less")
    return None


def _compared(one: Parsed, known: dict[str, _Fact]) -> Optional[_Fact]:
    """``y <= r`` or ``r >= y``"""
    first, second = one.operands[-2:]
    divisor, register = (first, second) if "_le_" in one.name else (second, first)
    fact = known.get(register)
    is_asked = fact is not None and fact.what == "remainder" and fact.y == divisor
    return fact if is_asked else None


def _chosen(one: Parsed, known: dict[str, _Fact], asked: _Fact) -> Optional[_Fact]:
    """Between a number and its correction, of the division that was asked about."""
    facts = [known.get(operand) for operand in one.operands[1:3]]
    of = sorted(fact.what for fact in facts if fact is not None and fact.division == asked.division)
    if of == ["one more", "quotient"]:
        return next(fact for fact in facts if fact is not None and fact.what == "quotient")
    return asked if of == ["one less", "remainder"] else None
