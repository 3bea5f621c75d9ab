"""How many instructions of the kinds that G3 asks about a kernel has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
# What only changes when things happen, or reads that, or where and by whom it is executed.
_TIMING = re.compile(
    r"s_(?:setprio|sleep|sethalt|setkill|trap|sendmsg|setreg|getreg|memtime|memrealtime|"
    r"get_shader_cycles|get_waveid|incperflevel|decperflevel|ttracedata|endpgm_saved|rfe|"
    r"cbranch_cdbg|icache_inv|prefetch_inst)"
)
# What the launcher and the trap handler leave in registers of their own.
_SECRET_OPERAND = re.compile(
    r"\b(ttmp|src_pops_exiting_wave_id|xnack_mask|tba|tma)(?:_lo|_hi|\d|\[|\b)"
)
_REGISTER = re.compile(r"hwreg\((\w+)(?:, *(\d+), *(\d+))?\)")
# The compiler writes these by itself: denormals around a division, registers back at the end.
_OWN_REGISTER = ("HW_REG_MODE", "4", "2")
_OWN_MESSAGE = "MSG_DEALLOC_VGPRS"
_PADDING = ("s_nop", "s_code_end")


@dataclass(frozen=True)
class InstructionCounts:
    total: int  # without padding
    stores: int  # to memory, atomics among them
    loads: int  # through vector memory
    barriers: int
    atomics: int
    timing: frozenset[str]  # what each does; with the register, where it names one


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
        timing=frozenset(one for text in instructions for one in _timing(text)),
    )


def _timing(text: str) -> Iterator[str]:
    name, _, operands = text.strip().partition(" ")
    secret = _SECRET_OPERAND.search(operands)
    if secret:
        yield secret.group(1)
    if not _TIMING.match(name):
        return
    register = _REGISTER.search(operands)
    is_own = name.startswith("s_setreg") and register and register.groups() == _OWN_REGISTER
    if not is_own and _OWN_MESSAGE not in operands:
        yield f"{name} {register.group(1)}" if register else name
