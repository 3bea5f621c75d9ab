"""Questions that belong to an operation which has no sides where one instruction does it. Pure.

The absolute value of a vector is a maximum of the number and its negative, with which divisions of
signed integers begin; a scalar one is ``s_abs_i32``, of which nobody asks for sides. The first of
the active lanes does what the compiler lets one lane do for all: some lane is the first, and which
lanes are active was decided by comparisons before.
"""

from __future__ import annotations

from collections.abc import Sequence

from rocm_perf_lab.prove.oracle.executed.flow import Block, Parsed, registers


def without_sides(code: Sequence[Parsed], block: Block) -> set[int]:
    """Indices of such comparisons and choices."""
    lower: set[str] = set()  # lanes below the own one, of the first 32
    ordinals: set[str] = set()  # a lane's number among those that are active
    negatives: dict[str, str] = {}  # of which register
    found = set()
    for at in range(block.begin, block.end):
        one = code[at]
        if _asks_for_first(one, ordinals) or _is_absolute(one, negatives):
            found.add(at)
        begins = one.name.startswith("v_mbcnt_lo") and one.operands[1:] == ("exec_lo", "0")
        ends = (
            one.name.startswith("v_mbcnt_hi")
            and one.operands[1] == "exec_hi"
            and one.operands[2] in lower
        )
        negates = one.name.startswith("v_sub_u32") and one.operands[1] == "0"
        for register in registers(one.operands[0]) if one.operands else ():
            lower.discard(register)
            ordinals.discard(register)
            negatives = {mine: of for mine, of in negatives.items() if register not in (mine, of)}
        if begins:
            lower.add(one.operands[0])
        if ends:
            ordinals.add(one.operands[0])
        if negates and one.operands[0] != one.operands[2]:
            negatives[one.operands[0]] = one.operands[2]
    return found


def _asks_for_first(one: Parsed, ordinals: set[str]) -> bool:
    return one.name.startswith("v_cmp_eq_u32") and (
        one.operands[-2] == "0" and one.operands[-1] in ordinals
    )


def _is_absolute(one: Parsed, negatives: dict[str, str]) -> bool:
    if not one.name.startswith("v_max_i32"):
        return False
    first, second = one.operands[-2:]
    return negatives.get(first) == second or negatives.get(second) == first
