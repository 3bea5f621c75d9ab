"""Normal forms keep the value: expressions evaluated on numbers before and after."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from interpreter import signed

from rocm_perf_lab.prove.symbolic.run.rewrite import rewritten
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

BITS = (1, 8, 32)
_BINARY = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem")
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def value_of(term: Term, values: dict[Term, int]) -> int:
    """What an expression is, by the meaning of its operation alone."""
    if term in values:
        return values[term]
    mask = (1 << term.bits) - 1
    if term.op == "const":
        return int(term.data)
    if term.op == "poly":
        total = 0
        for monomial, factor in term.data:
            product = factor
            for atom in monomial:
                product *= value_of(atom, values)
            total += product
        return total & mask
    a, *rest = [value_of(arg, values) for arg in term.args]
    bits = term.args[0].bits
    if term.op == "all":
        return int(all([a, *rest]))
    if term.op == "select":
        return rest[0] if a else rest[1]
    plain = {
        "not": lambda: 1 - a,
        "zero": lambda: int(a == 0),
        "zext": lambda: a,
        "sext": lambda: signed(a, bits),
        "trunc": lambda: a,
        "slt": lambda: int(signed(a, bits) < signed(rest[0], bits)),
        "ult": lambda: int(a < rest[0]),
        "product": lambda: a * rest[0],
    }
    if term.op in plain:
        return plain[term.op]() & mask
    found = computed(term.op, a, rest[0], bits)
    assert found is not None
    return found


def computed(op: str, a: int, b: int, bits: int) -> int | None:
    mask = (1 << bits) - 1
    if (op in ("udiv", "urem") and b == 0) or (op in ("shl", "lshr", "ashr") and b >= bits):
        return None
    results = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "and": lambda: a & b,
        "or": lambda: a | b,
        "xor": lambda: a ^ b,
        "shl": lambda: a << b,
        "lshr": lambda: a >> b,
        "ashr": lambda: signed(a, bits) >> b,
        "udiv": lambda: a // b,
        "urem": lambda: a % b,
    }
    return results[op]() & mask


class Made:
    """Expressions with their values, grown at random from a few unknowns."""

    def __init__(self, data: st.DataObject) -> None:
        self.build = Builder()
        self.data = data
        self.values: dict[Term, int] = {}
        self.pool: dict[int, list[tuple[Term, int]]] = {bits: [] for bits in BITS}
        for bits in BITS:
            for number in range(3):
                symbol = self.build.plain("symbol", f"i{bits}", data=f"x{bits}_{number}")
                self.values[symbol] = data.draw(st.integers(0, (1 << bits) - 1))
                self.pool[bits].append((symbol, self.values[symbol]))
            constant = data.draw(st.sampled_from((0, 1, 2, 4, 7, (1 << bits) - 1)))
            term = self.build.const(f"i{bits}", constant)
            self.pool[bits].append((term, constant % (1 << bits)))

    def pick(self, bits: int) -> tuple[Term, int]:
        return self.data.draw(st.sampled_from(self.pool[bits]))

    def grow(self) -> None:
        draw, build = self.data.draw, self.build
        bits = draw(st.sampled_from(BITS))
        (a, x), (b, y) = self.pick(bits), self.pick(bits)
        kind = draw(st.sampled_from(("binary", "compare", "select", "widen", "narrow", "not")))
        if kind == "binary":
            op = draw(st.sampled_from(_BINARY))
            value = computed(op, x, y, bits)
            if value is not None:
                self.pool[bits].append((build.integer(op, a, b), value))
        elif kind == "compare":
            predicate = draw(st.sampled_from(_PREDICATES))
            self.pool[1].append((build.compared(predicate, a, b), _holds(predicate, x, y, bits)))
        elif kind == "select":
            condition, holds = self.pick(1)
            self.pool[bits].append((build.select(condition, a, b), x if holds else y))
        elif kind == "widen" and bits < 32:
            op = draw(st.sampled_from(("zext", "sext")))
            wide = signed(x, bits) % (1 << 32) if op == "sext" else x
            self.pool[32].append((build.extended(op, a, "i32"), wide))
        elif kind == "narrow" and bits == 32:
            self.pool[8].append((build.truncated(a, "i8"), x & 255))
        elif kind == "not" and bits == 1:
            self.pool[1].append((build.negated(a), 1 - x))


def _holds(predicate: str, a: int, b: int, bits: int) -> int:
    if predicate[0] == "s":
        a, b = signed(a, bits), signed(b, bits)
    order = predicate if predicate in ("eq", "ne") else predicate[1:]
    return int(
        {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[order]
    )


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_normal_forms_keep_values(data: st.DataObject) -> None:
    made = Made(data)
    for _ in range(data.draw(st.integers(1, 25))):
        made.grow()
    for pool in made.pool.values():
        for term, value in pool:
            assert value_of(term, made.values) == value, term


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_other_values_for_symbols(data: st.DataObject) -> None:
    """Putting expressions in place of symbols is the same as giving the symbols their values."""
    made = Made(data)
    for _ in range(data.draw(st.integers(1, 15))):
        made.grow()
    target, _ = made.pick(32)
    symbol = made.pool[32][0][0]
    other, value = made.pick(32)
    found = rewritten(made.build, target, {symbol: other})
    assert value_of(found, made.values) == value_of(target, {**made.values, symbol: value})


def test_sums_and_products_have_one_form() -> None:
    build = Builder()
    x, y = (build.plain("symbol", "i32", data=name) for name in "xy")
    two = build.const("i32", 2)
    square = build.mul(build.add(x, y), build.add(x, y))
    spread = build.add(build.add(build.mul(x, x), build.mul(y, y)), build.mul(two, build.mul(y, x)))
    assert square is spread
    assert build.sub(square, spread) is build.const("i32", 0)


def test_floating_point_keeps_its_order() -> None:
    build = Builder()
    a, b, c = (build.plain("symbol", "float", data=name) for name in "abc")
    left = build.plain("fadd", "float", (build.plain("fadd", "float", (a, b)), c))
    right = build.plain("fadd", "float", (a, build.plain("fadd", "float", (b, c))))
    assert left is not right
