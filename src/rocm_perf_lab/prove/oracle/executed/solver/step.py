"""What one instruction does to a state. Pure.

Instructions that are not known write what they name as a target, and anything may be in it then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Optional

from rocm_perf_lab.prove.oracle.executed.flow import Parsed, is_branch, keeps_scc, written
from rocm_perf_lab.prove.oracle.executed.solver.state import State, is_vector
from rocm_perf_lab.prove.oracle.executed.solver.words import (
    CARRIES,
    LONG_WORDS,
    NOT_ZERO,
    RELATIONS,
    SAVE_EXEC,
    WORDS,
)

# Registers that are told by another register: any may be written.
_INDEXED = re.compile(r"(?:s_set_gpr_idx|s_setvskip|[sv]_movrel)")
_ENCODING = re.compile(r"_(?:e32|e64)$")
_COMPARISON = re.compile(r"(?P<kind>[sv])_cmp_(?P<relation>\w\w)_(?P<type>[iu])(?P<bits>32|64)$")
_SHORT = re.compile(r"s_cmpk_(?P<relation>\w\w)_(?P<type>[iu])32$")
_WRITES_NONE = re.compile(
    r"(?:s_cmp|s_bitcmp|ds_write|(?:global|flat|buffer|tbuffer|scratch)_store)"
)
_BITS = {"32": 32, "64": 64}
_LANES = 64


def has_indexed_registers(code: Sequence[Parsed]) -> bool:
    return any(_INDEXED.match(one.name) for one in code)


def execute(one: Parsed, state: State) -> None:
    name = _ENCODING.sub("", one.name)
    if is_branch(one) or not one.operands:
        return
    condition = compared(one, state)
    if name.startswith(("s_cmp", "s_bitcmp")):
        state.scc = state.world.truth() if condition is None else condition
    elif name.startswith("v_cmp_"):
        _mask(one, state, condition)
    elif name[2:] in SAVE_EXEC and name.startswith("s_"):
        _save_exec(one, name[2:], state)
    elif not (_lane_word(one, name, state) or _computed(one, name, state)):
        _unknown(one, name, state)


def compared(one: Parsed, state: State) -> Optional[Any]:
    """Whether a comparison holds, of vectors in the lane that is followed."""
    name, z3 = _ENCODING.sub("", one.name), state.world.z3
    match = _COMPARISON.match(name) or _SHORT.match(name)
    if match is None or match["relation"] not in RELATIONS or len(one.operands) < 2:
        return None
    bits = _BITS[match.groupdict().get("bits") or "32"]
    first, second = one.operands[-2:]
    if _SHORT.match(name):
        number = int(second.split()[0], 0) & 0xFFFF
        signed = match["type"] == "i" and number & 0x8000
        a, b = state.read(first, bits), z3.BitVecVal(number - (signed << 1), bits)
    else:
        a, b = state.read(first, bits), state.read(second, bits)
    if a is None or b is None:
        return None
    return RELATIONS[match["relation"]][match["type"] == "u"](z3, a, b)


def selected(one: Parsed, state: State) -> Optional[Any]:
    """Whether the lane that is followed takes the second source of a ``v_cndmask``."""
    mask = state.read(one.operands[-1], _LANES) if len(one.operands) == 4 else None
    return None if mask is None else mask & state.world.lane != 0


def sources(one: Parsed, state: State, bits: int = 32) -> Optional[list[Any]]:
    found = [state.read(text, bits) for text in one.operands[1:]]
    return None if any(value is None for value in found) else found


def _mask(one: Parsed, state: State, condition: Optional[Any]) -> None:
    """A comparison of vectors: lanes that sleep get 0."""
    world = state.world
    z3, mask = world.z3, world.word(_LANES)
    world.facts.append(mask & ~state.exec == 0)
    if condition is not None:
        own = z3.And(state.is_awake, condition)
        world.facts.append((mask & world.lane != 0) == own)
        if not any(is_vector(name) for text in one.operands[1:] for name in state.names(text)):
            world.facts.append(mask == z3.If(condition, state.exec, 0))
    if len(state.names(one.operands[0])) == 2:
        state.write(one.operands[0], mask)
    else:
        state.forget(one.operands[0])


def _save_exec(one: Parsed, name: str, state: State) -> None:
    before, source = state.exec, state.read(one.operands[1], _LANES)
    new = state.world.word(_LANES) if source is None else SAVE_EXEC[name](None, source, before)
    state.write(one.operands[0], before)
    state.write("exec", new)
    state.scc = state.exec != 0


def _lane_word(one: Parsed, name: str, state: State) -> bool:
    """Instructions between lanes and scalars."""
    world, z3 = state.world, state.world.z3
    if name == "v_readfirstlane_b32":
        value = state.read(one.operands[1], 32)
        if value is None:
            return False
        first = state.exec & -state.exec
        is_here = z3.And(world.reached, state.exec != 0)
        world.firsts.append(z3.Implies(is_here, world.lane == first))
        state.write(one.operands[0], z3.If(first == world.lane, value, world.word()))
    elif name == "v_cndmask_b32":
        chosen, values = selected(one, state), [state.read(s, 32) for s in one.operands[1:3]]
        if chosen is None or None in [None if v is None else 0 for v in values]:
            return False
        state.write(one.operands[0], z3.If(chosen, values[1], values[0]))
    elif name in ("s_cselect_b32", "s_cselect_b64"):
        read = sources(one, state, int(name[-2:]))
        if read is None:
            return False
        state.write(one.operands[0], z3.If(state.scc, *read))
    elif name == "s_movk_i32":
        number = int(one.operands[1].split()[0], 0) & 0xFFFF
        state.write(one.operands[0], z3.BitVecVal(number - ((number & 0x8000) << 1), 32))
    else:
        return False
    return True


def _computed(one: Parsed, name: str, state: State) -> bool:
    base, z3 = name[2:], state.world.z3
    table, bits = (WORDS, 32) if base in WORDS else (LONG_WORDS, 64)
    if base not in table:
        return False
    read = sources(one, state, bits)
    if base.startswith("mul") and read and not any(map(z3.is_bv_value, read)):
        return False  # solvers take long for products
    if read is None or len(state.names(one.operands[0])) * 32 != bits:
        return False
    result = table[base](z3, *read)
    if name.startswith("s_") and not keeps_scc(one):
        if base.rpartition("_")[0] in NOT_ZERO:
            state.scc = result != 0
        else:
            carry = CARRIES.get(base)
            state.scc = state.world.truth() if carry is None else carry(z3, *read)
    state.write(one.operands[0], result)
    return True


def _unknown(one: Parsed, name: str, state: State) -> None:
    for text in targets(one):
        state.forget(text)
    if name.startswith("s_") and not keeps_scc(one):
        state.scc = state.world.truth()


def targets(one: Parsed) -> Iterator[str]:
    if not _WRITES_NONE.match(one.name):
        yield from written(one)
    if "cmpx" in one.name or "exec" in one.name:
        yield "exec"
    if "swap" in one.name:
        yield from one.operands
