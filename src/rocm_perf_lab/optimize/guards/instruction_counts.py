"""How many instructions of the kinds that G3 asks about a kernel has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_STORE = re.compile(
    r"(?:global|flat|buffer|tbuffer|image)_(?:store|atomic)|s_(?:buffer_)?(?:store|atomic)"
)
_LOAD = re.compile(r"(?:global|flat|buffer|tbuffer|image)_(?:load|atomic|sample)")
_BARRIER = re.compile(r"s_barrier|ds_gws_")
_ATOMIC = re.compile(
    r"(?:global|flat|buffer|image|s)_atomic|s_buffer_atomic|"
    r"ds_(?:pk_)?(?:add|sub|rsub|inc|dec|min|max|and|or|xor|cmpst|cmpstore|wrxchg|storexchg|mskor|"
    r"condxchg)"
)
# What only changes when things happen, or reads it.
_TIMING = re.compile(
    r"s_(?:setprio|sleep|sethalt|setkill|trap|sendmsg|setreg|getreg|memtime|memrealtime|"
    r"incperflevel|decperflevel|ttracedata|endpgm_saved|rfe)"
)
_PADDING = ("s_nop", "s_code_end")


@dataclass(frozen=True)
class InstructionCounts:
    total: int  # without padding
    stores: int  # to memory, atomics among them
    loads: int  # through vector memory
    barriers: int
    atomics: int
    timing: frozenset[str]


def count_instructions(instructions: Sequence[str]) -> InstructionCounts:
    """``instructions`` as the disassembler prints them."""
    names = [text.split(None, 1)[0] for text in instructions if text.strip()]

    def count(pattern: re.Pattern[str]) -> int:
        return sum(1 for name in names if pattern.match(name))

    return InstructionCounts(
        total=sum(1 for name in names if not name.startswith(_PADDING)),
        stores=count(_STORE),
        loads=count(_LOAD),
        barriers=count(_BARRIER),
        atomics=count(_ATOMIC),
        timing=frozenset(name for name in names if _TIMING.match(name)),
    )
