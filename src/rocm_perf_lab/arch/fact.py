"""One number of a data file, with where it comes from and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Union

from msgspec import Struct

# ``None`` says that the number is not known (or does not exist); it is never replaced by 0.
FactValue = Union[bool, int, float, tuple[int, ...], None]

CONFIDENCE_LEVELS = ("documented", "derived", "unverified")


class Disagreement(Struct, frozen=True):
    """What another of the vendor's own sources says about the same number."""

    value: FactValue
    source: tuple[str, ...]
    note: str


class Fact(Struct, frozen=True):
    value: FactValue
    unit: str
    source: tuple[str, ...]  # keys of the sources table of the same file
    confidence: str  # one of CONFIDENCE_LEVELS
    note: Optional[str] = None
    disagreement: Optional[Disagreement] = None


def parse_fact(raw: Mapping[str, Any]) -> Fact:
    other = raw.get("disagreement")
    return Fact(
        value=_value(raw["value"]),
        unit=raw["unit"],
        source=tuple(raw["source"]),
        confidence=raw["confidence"],
        note=raw.get("note"),
        disagreement=None
        if other is None
        else Disagreement(_value(other["value"]), tuple(other["source"]), other["note"]),
    )


def parse_facts(raw: Mapping[str, Mapping[str, Any]]) -> dict[str, Fact]:
    return {name: parse_fact(entry) for name, entry in raw.items()}


def number(facts: Mapping[str, Fact], name: str) -> Optional[float]:
    """The number called ``name``, or ``None`` when the file does not know it."""
    fact = facts.get(name)
    if fact is None or fact.value is None:
        return None
    if isinstance(fact.value, tuple):
        raise TypeError(f"{name} is a list, not a number")
    return float(fact.value)


def whole_number(facts: Mapping[str, Fact], name: str) -> Optional[int]:
    """Like :func:`number` for things that are counted; a fraction is a fault of the file."""
    value = number(facts, name)
    if value is None:
        return None
    if value != int(value):
        raise TypeError(f"{name} is {value}, not a whole number")
    return int(value)


def _value(raw: Any) -> FactValue:
    return tuple(raw) if isinstance(raw, list) else raw
