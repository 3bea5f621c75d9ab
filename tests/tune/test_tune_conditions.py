"""Conditions mean what Python means by them, and nothing but arithmetic is understood."""

from __future__ import annotations

import ast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.space.condition import read_condition

NAMES = ("a", "b", "c")
OPERATORS = ["+", "-", "*", "//", "%", "/", "<", "<=", "==", "!=", ">"]
COLUMNS = {
    name: column.ravel()
    for name, column in zip(NAMES, np.meshgrid(range(5), range(5), [1, 2, 7], indexing="ij"))
}


def python_says(text: str) -> list[bool]:
    """By Python itself, configuration by configuration; what raises is not met."""
    found = []
    for values in zip(*(COLUMNS[name].tolist() for name in NAMES)):
        try:
            found.append(bool(eval(text, {"__builtins__": {}}, dict(zip(NAMES, values)))))
        except (ZeroDivisionError, TypeError):
            found.append(False)
    return found


def expressions() -> st.SearchStrategy[str]:
    leaves = st.one_of(st.sampled_from(NAMES), st.integers(0, 9).map(str))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(OPERATORS), inner).map(
                lambda t: f"({t[0]} {t[1]} {t[2]})"
            ),
            st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
                lambda t: f"({t[0]} {t[1]} {t[2]})"
            ),
            inner.map(lambda t: f"(not {t})"),
            st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} <= {t[1]} < {t[2]})"),
            st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        ),
        max_leaves=8,
    )


EXPRESSIONS = expressions()


@given(EXPRESSIONS)
def test_a_condition_is_what_python_says(text: str) -> None:
    if " and " in text or " or " in text:
        text = f"not ({text})"
        if _uses_a_truth_as_a_number(text):
            return
    met = read_condition(text, frozenset(NAMES))(COLUMNS)
    assert np.broadcast_to(met, (75,)).tolist() == python_says(text)


def _uses_a_truth_as_a_number(text: str) -> bool:
    """Whether the value of ``and`` or ``or`` enters arithmetic or a comparison."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        if any(isinstance(inner, ast.BoolOp) for part in parts for inner in ast.walk(part)):
            return True
    return False


def test_or_protects_a_division() -> None:
    met = read_condition("a == 0 or b % a == 0", frozenset(NAMES))(COLUMNS)
    assert met.tolist() == python_says("a == 0 or b % a == 0")


def test_a_condition_without_a_value_is_not_met() -> None:
    met = read_condition("b % a == 0", frozenset(NAMES))(COLUMNS)
    assert not met[COLUMNS["a"] == 0].any()


def test_words_are_compared() -> None:
    columns = {"layout": np.array(["row", "column"], dtype=object), "n": np.array([1, 2])}
    known = frozenset(columns)
    assert read_condition("layout == 'row' or n > 5", known)(columns).tolist() == [True, False]
    assert read_condition("layout in ('column', 'tiled')", known)(columns).tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__import__('os').system('true')", "is not allowed"),
        ("a.__class__", "'a.__class__' is not allowed"),
        ("[x for x in (1, 2)]", "is not allowed"),
        ("open('x')", "is not allowed"),
        ("lambda: 1", "is not allowed"),
        ("a <", "is not an expression"),
        ("", "is not an expression"),
        ("a * width < 5", "speaks of width, which is not a parameter"),
        ("a " + "+ a" * 2000, "characters"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_condition(text, frozenset(NAMES))
    assert message in caught.value.cause
