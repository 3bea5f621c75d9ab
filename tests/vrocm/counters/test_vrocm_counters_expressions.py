"""Expressions of derived counters: what parses, what does not, and what they are worth."""

from __future__ import annotations

import operator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.vrocm.counters.definitions import Block, Catalogue, Counter
from rocm_perf_lab.vrocm.counters.expressions import (
    Accumulate,
    Expression,
    ExpressionError,
    Number,
    Operation,
    Reduce,
    Reference,
    Select,
    parse_expression,
)
from rocm_perf_lab.vrocm.counters.values import Device, Evaluator, NotDelivered

SQ = Block("SQ", registers=8, instances=1, per_shader_engine=True)
TCC = Block("TCC", registers=4, instances=16, per_shader_engine=False)
MI300X = {
    "num_xcc": 8,
    "array_count": 32,
    "simd_arrays_per_engine": 1,
    "simd_count": 1216,
    "simd_per_cu": 4,
}


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("7", Number(7)),
        ("A", Reference("A")),
        ("reduce", Reference("reduce")),
        ("1+2*3", Operation("+", Number(1), Operation("*", Number(2), Number(3)))),
        ("8/4/2", Operation("/", Operation("/", Number(8), Number(4)), Number(2))),
        ("8-(4-2)", Operation("-", Number(8), Operation("-", Number(4), Number(2)))),
        ("reduce(A,sum)", Reduce(Reference("A"), "sum")),
        ("reduce(A, max, [X,Y])", Reduce(Reference("A"), "max", ("X", "Y"))),
        ("accumulate(A, HIGH_RES)", Accumulate("A", "HIGH_RES")),
        ("select(A,[X=[0],Y=[3]])", Select(Reference("A"), (("X", 0), ("Y", 3)))),
        (" 1\n+\tA ", Operation("+", Number(1), Reference("A"))),
    ],
)
def test_what_parses(text: str, tree: Expression) -> None:
    assert parse_expression(text) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a name at character 1"),
        ("1+", "expected a name at character 3"),
        ("1 2", "expected 'the end' at character 3"),
        ("-1", "expected a name at character 1"),
        ("0.5*A", "whole number"),
        ("1.", "whole number"),
        ("reduce(A,median)", "one of sum, max, min, avr"),
        ("reduce(A)", "expected ','"),
        ("reduce(A,sum,[])", "expected a name"),
        ("accumulate(1,HIGH_RES)", "expected a name"),
        ("accumulate(A,FULL_RES)", "one of NONE, LOW_RES, HIGH_RES"),
        ("select(A,[X=[1:2]])", "unexpected ':'"),
        ("max(A)", "max is not a function"),
        ("__import__('os')", "__import__ is not a function"),
        ("9" * 5000, "too large a number"),
        ("\u0663", "unexpected"),  # a digit, but not of ours
        ("A.b", "unexpected '.'"),
        ("A;B", "unexpected ';'"),
        ("((A)", "expected ')'"),
        ("A)", "expected 'the end'"),
        ("(" * 100_000, "too many operators or brackets"),
        ("1+" * 100_000 + "1", "too many operators or brackets"),
    ],
)
def test_what_does_not_parse_says_where(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match="character") as failure:
        parse_expression(text)
    assert message in str(failure.value)


@given(st.text(alphabet="0123456789.ABreduceaclmtsx_HIGHRES+-*/()[],= \n$:", max_size=60))
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        tree = parse_expression(text)
    except ExpressionError:
        return
    assert parse_expression(_written(tree)) == tree


_NAMES = st.sampled_from(["A", "B", "C"])
_LEAVES = st.one_of(
    st.integers(0, 10**12).map(Number),
    _NAMES.map(Reference),
    st.builds(Accumulate, _NAMES, st.sampled_from(["NONE", "LOW_RES", "HIGH_RES"])),
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(Operation, st.sampled_from("+-*/"), inner, inner),
        st.builds(Reduce, inner, st.sampled_from(["sum", "max", "min", "avr"])),
    ),
    max_leaves=20,
)


def _written(tree: Any) -> str:
    if isinstance(tree, Number):
        return str(tree.value)
    if isinstance(tree, Reference):
        return tree.name
    if isinstance(tree, Accumulate):
        return f"accumulate({tree.name},{tree.resolution})"
    if isinstance(tree, Reduce):
        dimensions = f",[{','.join(tree.dimensions)}]" if tree.dimensions else ""
        return f"reduce({_written(tree.of)},{tree.operation}{dimensions})"
    if isinstance(tree, Select):
        chosen = ",".join(f"{name}=[{number}]" for name, number in tree.chosen)
        return f"select({_written(tree.of)},[{chosen}])"
    return f"({_written(tree.left)}){tree.operator}({_written(tree.right)})"


@given(_TREES)
def test_what_is_written_is_read_back(tree: Expression) -> None:
    assert parse_expression(_written(tree)) == tree


# --- values -------------------------------------------------------------------------------------


def evaluate(expression: str, **delivered: object) -> float:
    known = [Counter(name, "", SQ) for name in ("A", "B", "C")]
    known.append(Counter("T", "", TCC))
    known += [Counter(name, "", is_constant=True) for name in MI300X]
    known.append(Counter("X", "", expression=expression))
    catalogue = Catalogue("gfx942", {counter.name: counter for counter in known})
    catalogue.check()
    return Evaluator(catalogue, Device(MI300X), delivered).value("X")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("A", 40),
        ("A+B", 50),
        ("A*3-B", 110),
        ("A/4", 10),
        ("reduce(A,sum)/reduce(B,sum)", 4),
        ("100*reduce(A,sum)/(reduce(B,sum)*5)", 80),
        ("reduce(A,sum)-1", 39),
        ("simd_count/simd_per_cu", 304),
        ("reduce(A,max)", 9),
        ("reduce(simd_count,max)", 1216),
        ("reduce(reduce(A,sum),min)", 40),
        ("reduce(T,avr)", 1),  # 16 channels in each of 8 XCCs
        ("reduce(A,avr)", 1.25),  # one in each of 32 shader engines
        ("accumulate(A,NONE)", 40),
        ("reduce(accumulate(A,HIGH_RES),sum)", 800),
        ("reduce(accumulate(A,LOW_RES),sum)", 200),
        ("reduce(accumulate(A,LOW_RES),max)", 3),
        ("reduce(accumulate(A,NONE),max)", 9),
        ("reduce(A,sum)/0", 0),  # as in rocprofiler-sdk
    ],
)
def test_values(expression: str, value: float) -> None:
    delivered = {
        "A": 40,
        "B": 10.0,
        "T": 128,
        "max(A)": 9,
        "accumulate(A)": 800,
        "max(accumulate(A))": 12,
    }
    assert evaluate(expression, **delivered) == value


@pytest.mark.parametrize(
    ("expression", "lacking"),
    [
        ("C", "C"),
        ("A+C*2", "C"),
        ("reduce(A,min)", "min\\(A\\)"),
        ("accumulate(B,HIGH_RES)", "accumulate\\(B\\)"),
        ("select(A,[DIMENSION_XCC=[0]])", "single instances"),
        ("reduce(A,max,[DIMENSION_XCC])", "some dimensions"),
        ("reduce(A+B,max)", "max of an expression"),
        ("A*B", "single instances"),  # the sum of products is not the product of sums
        ("A/B", "single instances"),
        ("1/A", "single instances"),
        ("A+1", "single instances"),
        ("reduce(A,sum,[DIMENSION_XCC])*B", "single instances"),
    ],
)
def test_what_sums_cannot_tell_has_no_value(expression: str, lacking: str) -> None:
    with pytest.raises(NotDelivered, match=lacking):
        evaluate(expression, **{"A": 40, "B": 10, "max(A)": 9})


@pytest.mark.parametrize("value", [None, "12", True, [1]])
def test_what_is_not_a_number_is_not_delivered(value: object) -> None:
    with pytest.raises(NotDelivered):
        evaluate("A", A=value)


_SCALARS = st.recursive(
    st.one_of(st.integers(0, 1000).map(Number), st.just(Reduce(Reference("A"), "sum"))),
    lambda inner: st.builds(Operation, st.sampled_from("+-*/"), inner, inner),
    max_leaves=12,
)
_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _computed(tree: Any) -> float:
    if isinstance(tree, Number):
        return float(tree.value)
    if isinstance(tree, Reduce):
        return 40.0
    left, right = _computed(tree.left), _computed(tree.right)
    if tree.operator == "/":
        return left / right if right else 0.0
    return float(_ARITHMETIC[tree.operator](left, right))


@given(_SCALARS)
def test_arithmetic_is_that_of_numbers(tree: Expression) -> None:
    assert evaluate(_written(tree), A=40) == _computed(tree)
