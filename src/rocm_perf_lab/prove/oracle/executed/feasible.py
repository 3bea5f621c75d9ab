"""Which code of a kernel can be reached at all, and which questions have one answer only. Pure.

Compilers copy the end of a loop to where its answer is clear, and mask numbers of lanes that are
small already: no input shows the other side. Facts are followed along the branches: ranges of
scalar registers and how they compare, and ranges of vector registers within a block. What is said
here is true for every input; what is not said is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.collect.disassembly import Instruction
from rocm_perf_lab.prove.oracle.executed.division import corrections
from rocm_perf_lab.prove.oracle.executed.flow import (
    Block,
    Parsed,
    blocks_of,
    has_unknown_jumps,
    is_branch,
    is_register,
    keeps_scc,
    operand,
    parsed,
    registers,
    written,
)
from rocm_perf_lab.prove.oracle.executed.idioms import without_sides
from rocm_perf_lab.prove.oracle.executed.known import (
    Condition,
    Known,
    Operand,
    Range,
    Relation,
    joined,
)

_ALL = (1 << 32) - 1
_LANES = 63  # the highest lane
_PLAIN = re.compile(r"[vs]\d+")  # others change without being named
_COMPARISON = re.compile(r"[sv]_cmp(?P<short>k?)_(?P<relation>\w\w)_(?P<type>[iu]32)(?:_e\d+)?$")
_SMALL_LOADS = {"_ubyte": 0xFF, "_u8": 0xFF, "_ushort": 0xFFFF, "_u16": 0xFFFF}
_WIDEN_AFTER, _GIVE_UP_AFTER = 6, 200  # visits of one block

_RELATIONS: Mapping[str, tuple[Relation, bool]] = {  # and whether operands change places
    "lt": ("lt", False), "le": ("le", False), "gt": ("lt", True), "ge": ("le", True),
    "eq": ("eq", False), "lg": ("ne", False), "ne": ("ne", False),
}  # fmt: skip


@dataclass(frozen=True)
class Feasible:
    """``reachable``: addresses, None if all may be. ``only``: of comparisons, choices and masks the
    one side that any run can see, by address. ``sideless``: no side of these matters."""

    reachable: Optional[frozenset[int]] = None
    only: Mapping[int, bool] = field(default_factory=dict)
    sideless: frozenset[int] = frozenset()

    def can_reach(self, address: int) -> bool:
        return self.reachable is None or address in self.reachable


def feasible(listing: Sequence[Instruction]) -> Feasible:
    code = [parsed(one.text) for one in listing]
    if not code or has_unknown_jumps(code):
        return Feasible()
    blocks = blocks_of(listing, code)
    entering = settled(code, blocks)
    if entering is None:
        return Feasible()
    reachable: set[int] = set()
    only: dict[int, bool] = {}
    for begin, known in entering.items():
        state = known.copy()
        for at in range(begin, blocks[begin].end):
            reachable.add(listing[at].address)
            side = _only_side(code[at], state)
            if side is not None:
                only[listing[at].address] = side
            _execute(code[at], state)
    sideless = {
        at
        for block in blocks.values()
        for at in (*without_sides(code, block), *corrections(code, block))
    }
    return Feasible(frozenset(reachable), only, frozenset(listing[at].address for at in sideless))


# --- the flow -------------------------------------------------------------------------------------


def settled(code: Sequence[Parsed], blocks: Mapping[int, Block]) -> Optional[dict[int, Known]]:
    """What is known where each block begins; blocks that nothing leads to are left out."""
    entering = {0: Known()}
    visits: dict[int, int] = {}
    todo = [0]
    while todo:
        begin = todo.pop()
        visits[begin] = visits.get(begin, 0) + 1
        if visits[begin] > _GIVE_UP_AFTER:
            return None
        for following, known in _leaving(code, blocks[begin], entering[begin]):
            before = entering.get(following)
            new = known if before is None else joined(before, known)
            if before is not None and visits.get(following, 0) > _WIDEN_AFTER:
                new.ranges = {
                    r: one for r, one in new.ranges.items() if before.ranges.get(r) == one
                }
            if new != before:
                entering[following] = new
                todo.append(following)
    return entering


def _leaving(code: Sequence[Parsed], block: Block, entering: Known) -> Iterator[tuple[int, Known]]:
    asked = _asked_of_what_entered(code, block)
    for scc, following in block.after:
        before: Optional[Known] = entering
        if scc is not None and asked is not None:
            before = entering.assume(asked if scc else asked.negated())
        left = before and _left_by(code, block, before, scc)
        if left is not None:
            yield following, left


def _left_by(
    code: Sequence[Parsed], block: Block, entering: Known, scc: Optional[bool]
) -> Optional[Known]:
    """What is known where the block is left, with this SCC if it matters; None if it cannot be."""
    state = entering.copy()
    for at in range(block.begin, block.end):
        _execute(code[at], state)
    if scc is None:
        return state
    if state.scc not in (None, scc):
        return None
    there: Optional[Known] = state
    if state.condition is not None:
        there = state.assume(state.condition if scc else state.condition.negated())
    if there is not None:
        there.scc = scc
    return there


def _asked_of_what_entered(code: Sequence[Parsed], block: Block) -> Optional[Condition]:
    """The condition that SCC tells at the end, if it compares what registers held at the beginning:
    what the block computes of them is narrower then, though it may have overwritten them."""
    changed: set[str] = set()
    condition: Optional[Condition] = None
    for at in range(block.begin, block.end):
        one = code[at]
        if one.name.startswith("s_cmp"):
            condition = _condition(one)
            if condition and not changed.isdisjoint((condition.first, condition.second)):
                condition = None
        elif one.operands and not is_branch(one):
            if not keeps_scc(one):
                condition = None
            changed.update(register for target in written(one) for register in registers(target))
    return condition


# --- one instruction ------------------------------------------------------------------------------


def _only_side(one: Parsed, known: Known) -> Optional[bool]:
    condition = _condition(one)
    if condition is not None:
        return known.holds(condition)
    if one.name.startswith("s_cselect"):
        return known.scc
    if one.name.startswith(("v_and_b32", "s_and_b32")):
        return False if _is_idle(one.sources, known) else None
    return None


def _condition(one: Parsed) -> Optional[Condition]:
    match = _COMPARISON.match(one.name)
    if match is None or match["relation"] not in _RELATIONS:
        return None
    relation, swapped = _RELATIONS[match["relation"]]
    first, second = map(operand, one.operands[-2:])
    if any(isinstance(one, str) and not _PLAIN.fullmatch(one) for one in (first, second)):
        return None
    if match["short"] and isinstance(second, int) and match["type"] == "i32":
        second = _sign_extended(second)
    if swapped:
        first, second = second, first
    return Condition(relation, match["type"] == "i32", first, second)


def _is_idle(sources: Sequence[Operand], known: Known) -> bool:
    """A mask of low bits that leaves its operand as it is."""
    masks = [one for one in sources if isinstance(one, int) and _is_low_bits(one)]
    others = [one for one in sources if isinstance(one, str)]
    return bool(masks) and len(others) == 1 and known.range_of(others[0])[1] <= masks[0]


def _execute(one: Parsed, known: Known) -> None:
    if one.name.startswith("s_cmp"):
        condition = _condition(one)
        known.condition = condition
        known.scc = None if condition is None else known.holds(condition)
        return
    if not one.operands or is_branch(one):
        return
    result = _result(one, known)
    if not keeps_scc(one):
        known.condition = known.scc = None
    if _wakes_lanes(one):
        known.forget("v")
    for target in written(one):
        for register in registers(target):
            known.set(register, None)
    if result is not None and is_register(one.operands[0]):
        known.set(one.operands[0], result)


def _wakes_lanes(one: Parsed) -> bool:
    """Lanes that were asleep did not get what the vector instructions before wrote. What is known
    of vector registers is known of the lanes that are awake, from block to block."""
    if "saveexec" in one.name:
        return not one.name.startswith("s_and_saveexec")
    if not one.operands[0].startswith("exec"):
        return False
    narrows = one.name in ("s_and_b64", "s_andn2_b64") and one.operands[1] == "exec"
    return not narrows


def _result(one: Parsed, known: Known) -> Optional[Range]:
    """The range of what is written, where that is one register and something is known."""
    name = re.sub(r"_(?:e32|e64)$", "", one.name)
    if name.startswith("v_mbcnt"):
        return _counted(one, known)
    for ending, most in _SMALL_LOADS.items():
        if name.endswith(ending) and "load" in name:
            return 0, most
    compute = _COMPUTED.get(re.sub(r"^[sv]_", "", name))
    if compute is None or any(isinstance(s, str) and not is_register(s) for s in one.sources):
        return None
    found = compute(*map(known.range_of, one.sources))
    return found if found is None or 0 <= found[0] <= found[1] <= _ALL else None


def _counted(one: Parsed, known: Known) -> Optional[Range]:
    """Lanes below the own one: in the lower half, then in both."""
    before = known.range_of(one.sources[-1])
    return 0, min(_LANES, before[1] + 32)


def _is_low_bits(mask: int) -> bool:
    return mask & (mask + 1) == 0


def _sign_extended(short: int) -> int:
    return short | 0xFFFF_0000 if short & 0x8000 else short


def _set_bits(a: Range) -> tuple[int, int]:
    """Of all numbers of a range: the bits that each has, and those that any has."""
    differ = (1 << (a[0] ^ a[1]).bit_length()) - 1
    return a[0] & ~differ, a[0] | differ


def _and(a: Range, b: Range) -> Range:
    for one, mask in ((a, b), (b, a)):
        if mask[0] == mask[1] and _is_low_bits(mask[0]) and one[1] <= mask[0]:
            return one
    (each, any_), (other_each, other_any) = _set_bits(a), _set_bits(b)
    return each & other_each, min(any_ & other_any, a[1], b[1])


def _or(a: Range, b: Range) -> Range:
    (each, any_), (other_each, other_any) = _set_bits(a), _set_bits(b)
    return max(each | other_each, a[0], b[0]), any_ | other_any


def _xor(a: Range, b: Range) -> Range:
    (each, any_), (other_each, other_any) = _set_bits(a), _set_bits(b)
    return (each & ~other_any) | (other_each & ~any_), (any_ & ~other_each) | (other_any & ~each)


def _shift_right(a: Range, b: Range) -> Optional[Range]:
    return (a[0] >> b[0], a[1] >> b[0]) if b[0] == b[1] < 32 else None


def _shift_left(a: Range, b: Range) -> Optional[Range]:
    return (a[0] << b[0], a[1] << b[0]) if b[0] == b[1] < 32 else None


def _swapped(compute: Callable[[Range, Range], Optional[Range]]) -> Callable[..., Optional[Range]]:
    return lambda a, b: compute(b, a)


def _sum(a: Range, b: Range) -> Optional[Range]:
    """With a constant that is negative, as the difference."""
    if b[0] == b[1] > _ALL >> 1:
        a, b = b, a
    if a[0] == a[1] > _ALL >> 1:
        less = _ALL + 1 - a[0]
        return b[0] - less, b[1] - less
    return a[0] + b[0], a[1] + b[1]


_COMPUTED: Mapping[str, Callable[..., Optional[Range]]] = {
    "mov_b32": lambda a: a,
    "movk_i32": lambda a: (_sign_extended(a[0]), _sign_extended(a[0])),
    "and_b32": _and,
    "or_b32": _or,
    "xor_b32": _xor,
    "lshr_b32": _shift_right,
    "lshrrev_b32": _swapped(_shift_right),
    "lshl_b32": _shift_left,
    "lshlrev_b32": _swapped(_shift_left),
    "add_i32": _sum,
    "add_u32": _sum,
    "sub_i32": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "sub_u32": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul_i32": lambda a, b: (a[0] * b[0], a[1] * b[1]),
    "min_u32": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max_u32": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "cselect_b32": lambda a, b: (min(a[0], b[0]), max(a[1], b[1])),
}
