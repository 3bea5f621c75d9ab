"""Words of a line of IR, and reading types and operands from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Optional

from rocm_perf_lab.prove.symbolic.ir.model import (
    Composite,
    ConstantExpression,
    Global,
    Literal,
    Local,
    Operand,
)
from rocm_perf_lab.prove.symbolic.ir.types import Array, Pointer, Scalar, Struct, Type, Vector
from rocm_perf_lab.prove.symbolic.reasons import NotProven

_TOKEN = re.compile(
    r"""c?"(?:[^"\\]|\\.)*"          # strings
      | [%@!$]"(?:[^"\\]|\\.)*"      # quoted names
      | [%@!$][-\w.$]+ | \#\d+        # names, attribute groups
      | [-+]?\d+\.\d*(?:[eE][-+]?\d+)? | [-+]?\d\w*   # numbers, also 0x...
      | [A-Za-z_][-\w.]*              # words
      | \.\.\. | [\[\](){}<>,=*!|:] """,
    re.VERBOSE,
)
CASTS = frozenset(
    {"trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"}
    | {"ptrtoint", "inttoptr", "bitcast", "addrspacecast"}
)
_GEP_FLAGS = ("inbounds", "nuw", "nusw")


class Tokens:
    """One logical line, read from left to right."""

    def __init__(self, text: str, structs: Mapping[str, Type]) -> None:
        self.words = _TOKEN.findall(_without_comment(text))
        self.at = 0
        self.structs = structs

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.words[place] if place < len(self.words) else ""

    def take(self) -> str:
        word = self.peek()
        if not word:
            raise NotProven("a line of the compiler's IR ends early: " + " ".join(self.words[:8]))
        self.at += 1
        return str(word)

    def skip(self, word: str) -> bool:
        if self.peek() != word:
            return False
        self.at += 1
        return True

    def expect(self, word: str) -> None:
        if not self.skip(word):
            near = " ".join(self.words[max(0, self.at - 4) : self.at + 4])
            raise NotProven(f"the compiler's IR has a form that is not read here: {near}")

    def flags(self, known: frozenset[str]) -> tuple[str, ...]:
        found = []
        while self.peek() in known:
            found.append(self.take())
        return tuple(sorted(found))

    def parenthesis(self) -> str:
        """What stands in a pair of parentheses, of any depth."""
        self.expect("(")
        depth, inner = 1, []
        while depth:
            word = self.take()
            depth += (word == "(") - (word == ")")
            inner.append(word)
        return " ".join(inner[:-1])

    def type(self) -> Type:
        word = self.take()
        if word == "ptr":
            return Pointer(int(self.parenthesis()) if self.skip("addrspace") else 0)
        if word in ("[", "<") and self.peek() != "{":
            count = int(self.take())
            self.expect("x")
            element = self.type()
            self.expect("]" if word == "[" else ">")
            return Array(count, element) if word == "[" else Vector(count, element)
        if word in ("{", "<"):
            return self._struct(packed=word == "<")
        if word.startswith("%"):
            if word not in self.structs:
                raise NotProven(f"the type {word} is not defined")
            return self.structs[word]
        if not re.fullmatch(r"[a-z][a-z0-9]*", word):
            raise NotProven(f"a type that is not read here: {word}")
        return Scalar(word)

    def _struct(self, packed: bool) -> Struct:
        if packed:
            self.expect("{")
        fields = []
        while not self.skip("}"):
            fields.append(self.type())
            self.skip(",")
        if packed:
            self.expect(">")
        return Struct(tuple(fields), packed)

    def operand(self, kind: Optional[Type] = None) -> Operand:
        """A typed operand; ``kind`` where the type is written once for several."""
        kind = self.type() if kind is None else kind
        word = self.take()
        if word.startswith("%"):
            return Operand(kind, Local(word))
        if word.startswith("@"):
            return Operand(kind, Global(word))
        if word in ("<", "[", "{"):
            return Operand(kind, self._composite(word))
        if word == "splat" and isinstance(kind, Vector):
            self.expect("(")
            element = self.operand()
            self.expect(")")
            return Operand(kind, Composite((element,) * kind.count))
        if word == "getelementptr" or word in CASTS:
            return Operand(kind, self._constant_expression(word))
        return Operand(kind, Literal(word))

    def _composite(self, opening: str) -> Composite:
        closing = {"<": ">", "[": "]", "{": "}"}[opening]
        inner_struct = opening == "<" and self.skip("{")
        elements = []
        while not self.skip("}" if inner_struct else closing):
            elements.append(self.operand())
            self.skip(",")
        if inner_struct:
            self.expect(">")
        return Composite(tuple(elements))

    def _constant_expression(self, op: str) -> ConstantExpression:
        flags = self.flags(frozenset(_GEP_FLAGS))
        self.expect("(")
        if op == "getelementptr":
            indexed = self.type()
            operands = []
            while self.skip(","):
                operands.append(self.operand())
            self.expect(")")
            return ConstantExpression(op, flags, tuple(operands), indexed)
        inner = self.operand()
        self.expect("to")
        target = self.type()
        self.expect(")")
        return ConstantExpression(op, flags, (inner,), target)


def _without_comment(text: str) -> str:
    in_string = False
    for place, letter in enumerate(text):
        if letter == '"':
            in_string = not in_string
        elif letter == ";" and not in_string:
            return text[:place]
    return text
