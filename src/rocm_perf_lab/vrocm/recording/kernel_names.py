"""How kernels are called in a recording: demangled, mangled (-M) or truncated (-T)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

_OPENING, _CLOSING = "<([{", ">)]}"


class Naming(Enum):
    DEMANGLED = "demangled"
    MANGLED = "mangled"
    TRUNCATED = "truncated"


def formatted(demangled: str, symbol: str, naming: Naming) -> str:
    """The name to show; ``symbol`` is that of the kernel descriptor, with ".kd"."""
    if naming is Naming.MANGLED:
        return symbol
    return truncated(demangled) if naming is Naming.TRUNCATED else demangled


def truncated(signature: str) -> str:
    """The bare name: no return type, namespace, template arguments or parameters."""
    plain = "".join(_outside_brackets(signature.replace("(anonymous namespace)::", "")))
    name = plain.partition("(")[0].strip()
    return name.rpartition(" ")[2].rpartition("::")[2] or signature


def _outside_brackets(signature: str) -> Iterator[str]:
    """Everything that is not inside brackets; the parameters leave their opening one behind."""
    depth = 0
    for character in signature:
        if character in _OPENING:
            if depth == 0 and character == "(":
                yield character
            depth += 1
        elif character in _CLOSING:
            depth = max(0, depth - 1)
        elif depth == 0:
            yield character
