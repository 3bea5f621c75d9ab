"""Kernels that are the same template with other arguments, by their names."""

from __future__ import annotations

_UNNAMED = "(anonymous namespace)::"


def family_of(name: str) -> str:
    """The name without template arguments and parameters; a mangled one is its own family."""
    return name.replace(_UNNAMED, "").partition("(")[0].partition("<")[0].removeprefix("void ")
