"""What the code of a kernel shows without running it: where there is no thread trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Optional, Protocol

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, instruction_class
from rocm_perf_lab.codeobject import KernelInfo

_SCRATCH = "scratch_"
_STORE = "scratch_store"


class Listed(Protocol):
    """An instruction of a disassembly."""

    @property
    def text(self) -> str: ...
    @property
    def source(self) -> str: ...


@dataclass(frozen=True)
class SpillLine:
    """A source line with accesses to scratch: spilled registers, or arrays that are indexed."""

    source: str
    stores: int
    loads: int


@dataclass(frozen=True)
class StaticCode:
    """Every instruction counts once, however often it runs: a loop's body weighs like its head."""

    instructions: int
    by_class: dict[InstructionClass, int]
    scratch_accesses: int
    scratch_lines: tuple[SpillLine, ...]  # the most accesses first; of code with line tables
    vgpr_spills: Optional[int]  # as the compiler counts them; None where it does not say
    sgpr_spills: Optional[int]
    scratch_bytes: Optional[int]  # per work-item

    def share(self, which: InstructionClass) -> float:
        return self.by_class.get(which, 0) / self.instructions


def static_code(kernel: Optional[KernelInfo], listing: Sequence[Listed]) -> StaticCode:
    """Without a ``kernel`` what its metadata says is not known. Raises ValueError for an empty
    listing."""
    if not listing:
        raise ValueError("the listing is empty")
    by_class: dict[InstructionClass, int] = {}
    for instruction in listing:
        kind = instruction_class(instruction.text)
        by_class[kind] = by_class.get(kind, 0) + 1
    scratch = [entry for entry in listing if entry.text.startswith(_SCRATCH)]
    return StaticCode(
        instructions=len(listing),
        by_class=by_class,
        scratch_accesses=len(scratch),
        scratch_lines=tuple(_scratch_lines(scratch)),
        vgpr_spills=kernel.vgpr_spills if kernel else None,
        sgpr_spills=kernel.sgpr_spills if kernel else None,
        scratch_bytes=kernel.scratch_bytes if kernel else None,
    )


def _scratch_lines(scratch: Iterable[Listed]) -> list[SpillLine]:
    counts: dict[str, list[int]] = {}
    for entry in scratch:
        if entry.source:
            counts.setdefault(entry.source, [0, 0])[not entry.text.startswith(_STORE)] += 1
    ranked = sorted(counts.items(), key=lambda item: (-sum(item[1]), item[0]))
    return [SpillLine(source, stores, loads) for source, (stores, loads) in ranked]
