"""Expressions of derived counters, as rocprofiler-sdk writes them.

    expression := term (("+" | "-") term)*
    term       := factor (("*" | "/") factor)*
    factor     := NUMBER | NAME | "(" expression ")"
                | "reduce" "(" expression "," OPERATION ["," "[" NAME ("," NAME)* "]"] ")"
                | "select" "(" expression "," "[" NAME "=" "[" NUMBER "]" ("," ...)* "]" ")"
                | "accumulate" "(" NAME "," RESOLUTION ")"

A text becomes a tree of the classes below; nothing is ever executed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

REDUCTIONS = ("sum", "max", "min", "avr")
RESOLUTIONS = ("NONE", "LOW_RES", "HIGH_RES")

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?)|(?P<name>[A-Z_]\w*)|(?P<mark>[-+*/(),=[\]]))",
    re.ASCII | re.IGNORECASE,
)
_DEEPEST = 100  # brackets and chains of operators; real expressions stay below ten
_LONGEST_NUMBER = 18  # digits; every such number fits 64 bits
_LONGEST_QUOTATION = 80
_END = ""


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Reference:
    """Another counter, hardware or derived, or a property of the agent."""

    name: str


@dataclass(frozen=True)
class Accumulate:
    """The counter added up over time: every cycle, every fourth cycle, or not at all."""

    name: str
    resolution: str


@dataclass(frozen=True)
class Reduce:
    """One value from those of the instances; over some dimensions only if any are named."""

    of: Expression
    operation: str
    dimensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Select:
    """The values of chosen instances."""

    of: Expression
    chosen: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Operation:
    operator: str  # + - * /
    left: Expression
    right: Expression


Expression = Union[Number, Reference, Accumulate, Reduce, Select, Operation]


class ExpressionError(ValueError):
    """The text is not an expression; says what was expected and where."""


def parse_expression(text: str) -> Expression:
    """Raises ``ExpressionError``."""
    parser = _Parser(text)
    tree = parser.expression(0)
    parser.expect(_END)
    return tree


class _Parser:
    """Recursive descent. ``depth`` bounds both nesting and the length of chains."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._start = 0
        self._kind = self._token = _END
        self._advance()

    def expression(self, depth: int) -> Expression:
        return self._chain("+-", depth)

    def expect(self, token: str) -> None:
        if self._token != token:
            raise self._error(f"expected {token or 'the end'!r}")
        self._advance()

    def _chain(self, operators: str, depth: int) -> Expression:
        self._check(depth)
        tree = self._operand(operators, depth)
        while self._token != _END and self._token in operators:
            depth += 1
            self._check(depth)
            operator = self._take()
            tree = Operation(operator, tree, self._operand(operators, depth))
        return tree

    def _operand(self, operators: str, depth: int) -> Expression:
        return self._chain("*/", depth + 1) if operators == "+-" else self._factor(depth)

    def _factor(self, depth: int) -> Expression:
        if self._token == "(":
            self._advance()
            tree = self.expression(depth + 1)
            self.expect(")")
            return tree
        if self._kind == "number":
            return Number(self._number())
        name = self._name()
        if self._token != "(":
            return Reference(name)
        if name == "reduce":
            return self._reduce(depth)
        if name == "select":
            return self._select(depth)
        if name == "accumulate":
            return self._accumulate()
        raise self._error(f"{name} is not a function")

    def _reduce(self, depth: int) -> Reduce:
        self.expect("(")
        of = self.expression(depth + 1)
        self.expect(",")
        operation = self._one_of(REDUCTIONS)
        dimensions: list[str] = []
        if self._token == ",":
            self._advance()
            self.expect("[")
            dimensions.append(self._name())
            while self._token == ",":
                self._advance()
                dimensions.append(self._name())
            self.expect("]")
        self.expect(")")
        return Reduce(of, operation, tuple(dimensions))

    def _select(self, depth: int) -> Select:
        self.expect("(")
        of = self.expression(depth + 1)
        self.expect(",")
        self.expect("[")
        chosen = [self._choice()]
        while self._token == ",":
            self._advance()
            chosen.append(self._choice())
        self.expect("]")
        self.expect(")")
        return Select(of, tuple(chosen))

    def _choice(self) -> tuple[str, int]:
        dimension = self._name()
        self.expect("=")
        self.expect("[")
        instance = self._number()
        self.expect("]")
        return dimension, instance

    def _accumulate(self) -> Accumulate:
        self.expect("(")
        name = self._name()
        self.expect(",")
        resolution = self._one_of(RESOLUTIONS)
        self.expect(")")
        return Accumulate(name, resolution)

    def _one_of(self, words: tuple[str, ...]) -> str:
        if self._token not in words:
            raise self._error(f"expected one of {', '.join(words)}")
        return self._take()

    def _name(self) -> str:
        if self._kind != "name":
            raise self._error("expected a name")
        return self._take()

    def _number(self) -> int:
        """rocprofiler-sdk cuts a fraction off without a word; here it is an error."""
        if self._kind != "number" or not self._token.isdigit():
            raise self._error("expected a whole number")
        if len(self._token) > _LONGEST_NUMBER:
            raise self._error("too large a number")
        return int(self._take())

    def _take(self) -> str:
        token = self._token
        self._advance()
        return token

    def _advance(self) -> None:
        rest = self._text[self._position :]
        self._start = self._position + len(rest) - len(rest.lstrip())
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            self._kind = self._token = _END
            if rest.strip():
                raise self._error(f"unexpected {rest.strip()[0]!r}")
            return
        self._position = match.end()
        self._kind = match.lastgroup or _END
        self._token = match[self._kind]

    def _check(self, depth: int) -> None:
        if depth > _DEEPEST:
            raise self._error("too many operators or brackets")

    def _error(self, what: str) -> ExpressionError:
        text = self._text
        if len(text) > _LONGEST_QUOTATION:
            text = text[:_LONGEST_QUOTATION] + "..."
        return ExpressionError(f"{what} at character {self._start + 1} of '{text}'")
