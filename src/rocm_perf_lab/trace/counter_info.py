"""What a recording says about a counter, besides its values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CounterInfo:
    """As rocprofv3 describes counters in databases and JSON."""

    name: str
    description: str = ""
    block: str = ""  # of a hardware counter
    expression: str = ""  # of a derived counter
    is_constant: bool = False  # a property of the agent

    @property
    def is_derived(self) -> bool:
        return bool(self.expression)


def with_undescribed(
    described: Sequence[CounterInfo], used: Iterable[str]
) -> tuple[CounterInfo, ...]:
    """The described counters, then those that have values and no description."""
    known = {info.name for info in described}
    return (*described, *(CounterInfo(name) for name in used if name not in known))
