"""Patterns in what a kernel is known to write first, before each of its dispatches.

A kernel that leaves work out because its output of an earlier launch is still there gives the same
memory in a replay, where the output is fresh, and in a run of the application, where it is right by
luck. With poison in it, the application prints something else. Only the virtual device does it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

POISON_VARIABLE = "VROCM_POISON"  # docs/virtual-rocm.md
_DESCRIPTOR = ".kd"
_SYMBOL = re.compile(r"[A-Za-z0-9_.$@]+")


def poison_variable(symbol: str, spans: Sequence[tuple[int, int, int]]) -> dict[str, str]:
    """What to add to the environment, nothing for no spans.

    A span is the byte offset of a pointer in the arguments, the first byte behind what it points
    to, and the first one that is no longer meant."""
    if not spans:
        return {}
    name = symbol[: -len(_DESCRIPTOR)] if symbol.endswith(_DESCRIPTOR) else symbol
    if not _SYMBOL.fullmatch(name):
        raise ValueError(f"{symbol!r} is not a symbol of a kernel")
    for offset, begin, end in spans:
        if offset < 0 or not 0 <= begin < end:
            raise ValueError(f"no bytes {begin} to {end} behind the pointer at {offset}")
    words = ",".join(f"{offset}+{begin}-{end}" for offset, begin, end in spans)
    return {POISON_VARIABLE: f"{name}:{words}"}
