"""Programs of scalar registers at random, and a machine that executes them."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from hypothesis import strategies as st

MASK = 0xFFFF_FFFF
REGISTERS = ("s0", "s1", "s2")
RELATIONS = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "lg": operator.ne,
}
values = st.one_of(
    st.sampled_from([0, 1, 2, 3, 4, 7, 8, 15, 16, 0x7FFF_FFFF, 0x8000_0000, MASK - 1, MASK]),
    st.integers(0, MASK),
)
operands = st.one_of(st.sampled_from(REGISTERS), values.map(hex))
targets = st.sampled_from(REGISTERS)
computed = st.one_of(
    st.tuples(st.just("s_mov_b32"), targets, operands),
    st.tuples(
        st.sampled_from(
            [
                *("s_and_b32", "s_or_b32", "s_xor_b32", "s_add_i32"),
                *("s_sub_i32", "s_min_u32", "s_max_u32", "s_mul_i32"),
            ]
        ),
        targets,
        operands,
        operands,
    ),
    st.tuples(
        st.sampled_from(["s_lshr_b32", "s_lshl_b32"]),
        targets,
        operands,
        st.integers(0, 31).map(str),
    ),
    st.tuples(st.just("s_cselect_b32"), targets, operands, operands),
)
compared = st.builds(
    lambda relation, kind, a, b: (f"s_cmp_{relation}_{kind}", a, b),
    st.sampled_from(sorted(RELATIONS)),
    st.sampled_from(["i32", "u32"]),
    operands,
    operands,
)
branched = st.tuples(
    st.sampled_from(["s_cbranch_scc0", "s_cbranch_scc1", "s_branch"]), st.integers(0, 11)
)
programs = st.lists(st.one_of(computed, compared, branched), min_size=3, max_size=12)


def text_of(at: int, one: Sequence[object], length: int) -> str:
    name, *rest = one
    if str(name).startswith(("s_cbranch", "s_branch")):
        target = int(str(rest[0])) % (length + 1)
        return f"{name} {(target - at - 1) & 0xFFFF}"
    return f"{name} {', '.join(map(str, rest))}"


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


class Machine:
    """Executes such a program and keeps what it shows."""

    def __init__(self, program: Sequence[Sequence[object]], start: Sequence[int]) -> None:
        self.registers = dict(zip(REGISTERS, start))
        self.program, self.scc = program, start[0] & 1
        self.reached: set[int] = set()
        self.sides: set[tuple[int, bool]] = set()

    def value(self, operand: object) -> int:
        text = str(operand)
        return self.registers[text] if text in self.registers else int(text, 0) & MASK

    def run(self) -> None:
        at = 0
        for _ in range(60):
            if at >= len(self.program):
                break
            self.reached.add(at)
            at = self.step(at, *self.program[at])

    def step(self, at: int, name: str, *rest: object) -> int:
        if name.startswith(("s_cbranch", "s_branch")):
            taken = name == "s_branch" or self.scc == int(name[-1])
            return int(str(rest[0])) % (len(self.program) + 1) if taken else at + 1
        if name.startswith("s_cmp"):
            _, _, relation, kind = name.split("_")
            a, b = map(self.value, rest)
            if kind == "i32":
                a, b = signed(a), signed(b)
            self.scc = int(RELATIONS[relation](a, b))
            self.sides.add((at, bool(self.scc)))
            return at + 1
        target, *sources = rest
        self.registers[str(target)] = self.compute(at, name, *map(self.value, sources)) & MASK
        return at + 1

    def compute(self, at: int, name: str, a: int, b: int = 0) -> int:
        if name == "s_mov_b32":
            return a
        if name == "s_cselect_b32":
            self.sides.add((at, bool(self.scc)))
            return a if self.scc else b
        if name == "s_mul_i32":
            return a * b
        result = {
            "s_and_b32": a & b,
            "s_or_b32": a | b,
            "s_xor_b32": a ^ b,
            "s_add_i32": a + b,
            "s_sub_i32": a - b,
            "s_min_u32": min(a, b),
            "s_max_u32": max(a, b),
            "s_lshr_b32": a >> (b & 31),
            "s_lshl_b32": a << (b & 31),
        }[name]
        if name == "s_and_b32":
            self.sides.add((at, any(v & ~result for v, s in self.named(at, a, b) if s)))
        self.scc = 1 if name == "s_min_u32" and a < b else int(result & MASK != 0)
        return result

    def named(self, at: int, a: int, b: int) -> list[tuple[int, bool]]:
        """Operands, and whether they are registers: a constant loses nothing."""
        first, second = (str(one).startswith("s") for one in self.program[at][2:])
        return [(a, first), (b, second)]
