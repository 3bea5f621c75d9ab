"""Code written as text, without an assembler."""

from __future__ import annotations

from rocm_perf_lab.collect.disassembly import Instruction

BASE = 0x1000


def listing(*texts: str) -> tuple[Instruction, ...]:
    return tuple(Instruction(BASE + 4 * n, text, "", 4) for n, text in enumerate(texts))
