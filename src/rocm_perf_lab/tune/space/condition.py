"""Conditions on configurations: Python expressions over the parameters, for many at a time.

An expression is read, never executed by Python: only arithmetic, comparisons, ``and``, ``or``,
``not``, ``in`` and a few functions exist. It means what Python means by it, also where ``or``
protects a division by zero; a configuration for which it has no value does not meet it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.errors import UsageError

Array = npt.NDArray[Any]

_ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)
_COMPARISONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "min": lambda *words: np.minimum.reduce(np.broadcast_arrays(*words)),
    "max": lambda *words: np.maximum.reduce(np.broadcast_arrays(*words)),
    "abs": np.abs,
    "int": lambda value: np.asarray(value).astype(np.int64),
    "float": lambda value: np.asarray(value).astype(np.float64),
    "bool": lambda value: _truth(value),
    "round": np.round,
}
_LONGEST = 2000  # characters; a deep tree would be a deep recursion


@dataclass(frozen=True)
class _Values:
    """Of every configuration the value, and whether there is one."""

    value: Any
    undefined: Any  # array of bool, or False

    def where_defined(self) -> Array:
        return np.asarray(np.logical_and(_truth(self.value), np.logical_not(self.undefined)))


@dataclass(frozen=True)
class Condition:
    text: str
    names: frozenset[str]
    tree: ast.expr = field(repr=False, compare=False)

    def __call__(self, columns: Mapping[str, Array]) -> Array:
        """True where the condition is met."""
        with np.errstate(all="ignore"):
            try:
                return _evaluate(self.tree, columns).where_defined()
            except (TypeError, ValueError) as error:
                raise UsageError(
                    f"the condition '{self.text}' cannot be computed: {error}",
                    "compare numbers with numbers and words with words",
                ) from None


def read_condition(text: str, known: frozenset[str]) -> Condition:
    """Refuses what is not an expression over the parameters, and says which word it is."""
    if len(text) > _LONGEST:
        raise UsageError(f"a condition of {len(text)} characters", "split it into several")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"'{text}' is not an expression", 'such as "BM * BN <= 1024"') from None
    names = set()
    for node in ast.walk(tree):
        _refuse(node, text)
        if isinstance(node, ast.Name) and node.id not in _FUNCTIONS:
            names.add(node.id)
    unknown = sorted(names - known)
    if unknown:
        raise UsageError(
            f"the condition '{text}' speaks of {unknown[0]}, which is not a parameter",
            f"the parameters are {', '.join(sorted(known))}",
        )
    return Condition(text, frozenset(names), tree)


_PLAIN = (
    ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd, ast.Compare, ast.Name,
    ast.Load, ast.IfExp, ast.Tuple, ast.List, ast.In, ast.NotIn, ast.BinOp,
    *_ARITHMETIC, *_COMPARISONS,
)  # fmt: skip


def _refuse(node: ast.AST, text: str) -> None:
    if isinstance(node, ast.Call):
        known = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        if known and not node.keywords and node.args:
            return
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, (bool, int, float, str)):
            return
    elif isinstance(node, _PLAIN):
        return
    word = ast.get_source_segment(text.strip(), node) if isinstance(node, ast.expr) else None
    raise UsageError(
        f"'{word or type(node).__name__}' is not allowed in the condition '{text}'",
        "use + - * / // % **, comparisons, and, or, not, in, min, max, abs",
    )


def _evaluate(node: ast.expr, columns: Mapping[str, Array]) -> _Values:
    if isinstance(node, ast.Constant):
        return _Values(node.value, False)
    if isinstance(node, ast.Name):
        return _Values(columns[node.id], False)
    if isinstance(node, ast.BoolOp):
        return _short_circuit(node, columns)
    if isinstance(node, ast.UnaryOp):
        inner = _evaluate(node.operand, columns)
        if isinstance(node.op, ast.Not):
            return _Values(np.logical_not(_truth(inner.value)), inner.undefined)
        number = _number(inner.value)
        return _Values(-number if isinstance(node.op, ast.USub) else number, inner.undefined)
    if isinstance(node, ast.BinOp):
        return _arithmetic(node, columns)
    if isinstance(node, ast.Compare):
        return _comparison(node, columns)
    if isinstance(node, ast.IfExp):
        return _choice(node, columns)
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    words = [_evaluate(word, columns) for word in node.args]
    value = _FUNCTIONS[node.func.id](*(_number(word.value) for word in words))
    return _Values(value, _any(word.undefined for word in words))


def _short_circuit(node: ast.BoolOp, columns: Mapping[str, Array]) -> _Values:
    """What stands behind a deciding word is never looked at, so that it may be undefined."""
    is_or = isinstance(node.op, ast.Or)
    decided: Any = False
    undefined: Any = False
    for word in node.values:
        inner = _evaluate(word, columns)
        undefined = np.logical_or(
            undefined, np.logical_and(np.logical_not(decided), inner.undefined)
        )
        truth = _truth(inner.value)
        decided = np.logical_or(decided, truth if is_or else np.logical_not(truth))
    return _Values(decided if is_or else np.logical_not(decided), undefined)


def _arithmetic(node: ast.BinOp, columns: Mapping[str, Array]) -> _Values:
    left, right = _evaluate(node.left, columns), _evaluate(node.right, columns)
    undefined = _any((left.undefined, right.undefined))
    divisor = _number(right.value)
    if isinstance(node.op, _DIVISIONS):
        undefined = np.logical_or(undefined, np.equal(divisor, 0))
        divisor = np.where(np.equal(divisor, 0), 1, divisor)
    base = _number(left.value)
    if isinstance(node.op, ast.Pow):  # integers to a negative power are fractions in Python
        base = np.asarray(base, dtype=np.float64)
    return _Values(_ARITHMETIC[type(node.op)](base, divisor), undefined)


def _comparison(node: ast.Compare, columns: Mapping[str, Array]) -> _Values:
    met: Any = True
    left = _evaluate(node.left, columns)
    undefined = left.undefined
    for how, word in zip(node.ops, node.comparators):
        if isinstance(how, (ast.In, ast.NotIn)):
            if not isinstance(word, (ast.Tuple, ast.List)):
                raise TypeError("'in' needs a list")
            among = [_evaluate(one, columns) for one in word.elts]
            found = _any(np.equal(left.value, one.value) for one in among)
            met = np.logical_and(met, found if isinstance(how, ast.In) else np.logical_not(found))
            undefined = _any((undefined, *(one.undefined for one in among)))
            continue
        right = _evaluate(word, columns)
        met = np.logical_and(met, _COMPARISONS[type(how)](left.value, right.value))
        undefined = _any((undefined, right.undefined))
        left = right
    return _Values(met, undefined)


def _choice(node: ast.IfExp, columns: Mapping[str, Array]) -> _Values:
    test = _evaluate(node.test, columns)
    yes, no = _evaluate(node.body, columns), _evaluate(node.orelse, columns)
    truth = _truth(test.value)
    undefined = _any((test.undefined, np.where(truth, yes.undefined, no.undefined)))
    return _Values(np.where(truth, yes.value, no.value), undefined)


def _truth(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind in "OU":
        return np.vectorize(bool, otypes=[bool])(array)
    return array.astype(bool)


def _number(value: Any) -> Any:
    """Truth in arithmetic is 0 or 1, as in Python."""
    array = np.asarray(value)
    return array.astype(np.int64) if array.dtype.kind == "b" else value


def _any(words: Any) -> Any:
    found: Any = False
    for word in words:
        found = np.logical_or(found, word)
    return found
