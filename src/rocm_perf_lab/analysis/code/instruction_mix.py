"""What kinds of instructions a kernel has or executes, told from their mnemonics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from rocm_perf_lab.trace.thread_trace.model import CodeLine


class InstructionClass(Enum):
    """By the unit that executes them; the values are the names in documents."""

    VALU = "valu"
    SALU = "salu"
    MFMA = "mfma"  # all matrix instructions, also WMMA
    VMEM = "vmem"  # buffer, global, flat, scratch, image
    SMEM = "smem"
    LDS = "lds"
    BRANCH = "branch"  # whatever sets the program counter, and the end of the program
    SYNC = "sync"  # handled by the sequencer itself: waits, barriers, s_nop, messages
    OTHER = "other"  # exports, and what is not known


# The first prefix that fits decides, so exceptions stand before the rule.
_PREFIXES: tuple[tuple[InstructionClass, tuple[str, ...]], ...] = (
    (InstructionClass.MFMA, ("v_mfma", "v_smfmac", "v_wmma", "v_swmmac")),
    (InstructionClass.VALU, ("v_",)),
    (
        InstructionClass.BRANCH,
        (
            "s_branch",
            "s_cbranch",
            "s_setpc",
            "s_swappc",
            "s_call",
            "s_rfe",
            "s_subvector_loop",
            "s_trap",
            "s_endpgm",
        ),
    ),
    (
        InstructionClass.SMEM,
        (
            "s_load",
            "s_store",
            "s_buffer",
            "s_scratch",
            "s_atomic",
            "s_dcache",
            "s_gl1_inv",
            "s_memtime",
            "s_memrealtime",
            "s_atc_probe",
            "s_prefetch",
        ),
    ),
    (
        InstructionClass.SYNC,
        (
            "s_wait",
            "s_barrier",
            "s_nop",
            "s_sleep",
            "s_wakeup",
            "s_sendmsg",
            "s_sethalt",
            "s_setkill",
            "s_setprio",
            "s_icache",
            "s_inst_prefetch",
            "s_set_inst_prefetch",
            "s_incperflevel",
            "s_decperflevel",
            "s_ttracedata",
            "s_delay_alu",
            "s_clause",
            "s_code_end",
        ),
    ),
    (InstructionClass.SALU, ("s_",)),
    (InstructionClass.LDS, ("ds_", "lds_")),
    (
        InstructionClass.VMEM,
        ("buffer_", "tbuffer_", "global_", "flat_", "scratch_", "image_"),
    ),
)


def instruction_class(text: str) -> InstructionClass:
    """The class of an instruction as a disassembler prints it; operands do not matter."""
    for found, prefixes in _PREFIXES:
        if text.startswith(prefixes):
            return found
    return InstructionClass.OTHER


@dataclass(frozen=True)
class Cost:
    """Sums over instructions; see ``trace/thread_trace/model.py`` for what they mean."""

    hits: int = 0
    latency: int = 0
    stall: int = 0
    idle: int = 0

    def plus(self, line: CodeLine) -> Cost:
        return Cost(
            self.hits + line.hits,
            self.latency + line.latency,
            self.stall + line.stall,
            self.idle + line.idle,
        )


@dataclass(frozen=True)
class InstructionMix:
    """Executed instructions by class and by opcode, those never executed left out."""

    total: Cost
    by_class: dict[InstructionClass, Cost]
    by_opcode: dict[str, Cost]  # the most executed first

    def hit_share(self, which: InstructionClass) -> float:
        """Of all executed instructions, how many are of this class."""
        return self.by_class.get(which, Cost()).hits / self.total.hits

    def latency_share(self, which: InstructionClass) -> float:
        """Of the latency of all instructions, how much is of this class."""
        return _share(self.by_class.get(which, Cost()).latency, self.total.latency)

    def opcode_latency_share(self, prefix: str) -> float:
        """The same for all opcodes that begin with ``prefix``: "s_waitcnt", "s_barrier"."""
        found = sum(c.latency for name, c in self.by_opcode.items() if name.startswith(prefix))
        return _share(found, self.total.latency)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def instruction_mix(code: Iterable[CodeLine]) -> InstructionMix:
    """Raises ValueError when nothing was executed: then there are no shares."""
    total = Cost()
    by_class: dict[InstructionClass, Cost] = {}
    by_opcode: dict[str, Cost] = {}
    for line in code:
        if line.hits:
            total = total.plus(line)
            kind, opcode = instruction_class(line.text), line.opcode
            by_class[kind] = by_class.get(kind, Cost()).plus(line)
            by_opcode[opcode] = by_opcode.get(opcode, Cost()).plus(line)
    if not total.hits:
        raise ValueError("no instruction was executed")
    ranked = sorted(by_opcode.items(), key=lambda item: (-item[1].hits, item[0]))
    return InstructionMix(total, by_class, dict(ranked))
