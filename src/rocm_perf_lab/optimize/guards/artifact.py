"""G3: the machine code of a candidate is still that of such a kernel.

Refused is what no faster version of a kernel needs: other arguments, state that outlives the
launch, calls to the host, a look at the dispatch itself, instructions that only touch timing, no
stores, a launch that the device cannot hold. Fewer barriers or atomics may be right, so that they
only oblige the proof to look for races; ``obligations`` says what it owes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.analysis.kernels.occupancy import occupancy
from rocm_perf_lab.arch.target import load_target
from rocm_perf_lab.codeobject import CodeObjectFile, KernelInfo
from rocm_perf_lab.codeobject.elf import ElfFile
from rocm_perf_lab.optimize.guards.dispatch_view import new_views
from rocm_perf_lab.optimize.guards.instruction_counts import InstructionCounts, count_instructions
from rocm_perf_lab.optimize.refusal import Refusal, Stage

RACES = "races"  # the oracle has to run it under a race check, or many times
SHRUNK = "shrunk"  # a person should know that most of the code is gone

_STT_OBJECT = 1
_READ_ONLY = (".rodata", ".text", ".note", ".dynamic", ".hash", ".gnu.hash")
_UNIT_ID = "__hip_cuid_"  # a byte whose name clang makes from the file, to tell units apart
_SHRUNK_BELOW = 0.1  # of the baseline's instructions


@dataclass(frozen=True)
class Artifact:
    """One version: its code object, the kernel in it and the text of its instructions."""

    code: CodeObjectFile
    kernel: KernelInfo
    instructions: tuple[str, ...]

    @property
    def counts(self) -> InstructionCounts:
        return count_instructions(self.instructions)


@dataclass(frozen=True)
class Launch:
    """How the application launches the kernel, from its trace; the largest of several."""

    workgroup_size: int
    dynamic_lds: int = 0


@dataclass(frozen=True)
class ArtifactVerdict:
    refusals: tuple[Refusal, ...]
    obligations: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())  # for people: registers, spills, scratch


def check_artifact(
    before: Artifact, after: Artifact, launch: Launch, launch_bounds: Optional[int] = None
) -> ArtifactVerdict:
    """``launch_bounds`` is the one new size of a workgroup that was agreed on."""
    found = [
        *_identity(before, after),
        *_arguments(before.kernel, after.kernel),
        *new_views(before.kernel, after.kernel),
        *_contract(before.kernel, after.kernel, launch_bounds),
        *_state(before.code, after.code),
        *_resources(after, launch),
        *_instructions(before.counts, after.counts),
    ]
    refusals = tuple(Refusal(Stage.ARTIFACT, reason, message) for reason, message in found)
    return ArtifactVerdict(
        refusals,
        tuple(_obligations(before.counts, after.counts)),
        tuple(_notes(before.kernel, after.kernel)),
    )


Finding = tuple[str, str]


def _identity(before: Artifact, after: Artifact) -> Iterator[Finding]:
    if before.code.target != after.code.target:
        yield "target", f"built for {after.code.target}, not {before.code.target}"
    old = {kernel.symbol for kernel in before.code.kernels}
    new = {kernel.symbol for kernel in after.code.kernels}
    for symbol in sorted(new - old):
        yield "new-kernel", f"there is a new kernel {symbol}"
    for symbol in sorted(old - new):
        yield "lost-kernel", f"the kernel {symbol} is gone"
    if before.kernel.symbol != after.kernel.symbol:
        yield "symbol", f"{after.kernel.symbol} instead of {before.kernel.symbol}"


def _arguments(before: KernelInfo, after: KernelInfo) -> Iterator[Finding]:
    def layout(kernel: KernelInfo) -> list[tuple[object, ...]]:
        return [(a.offset, a.size, a.value_kind, a.address_space) for a in kernel.visible_arguments]

    if layout(before) != layout(after):
        yield "arguments", "the layout of the kernel's arguments changed"


def _contract(
    before: KernelInfo, after: KernelInfo, launch_bounds: Optional[int]
) -> Iterator[Finding]:
    fixed = ("max_workgroup_size", "required_workgroup_size", "wave_size", "wgp_mode")
    for name in fixed:
        old, new = getattr(before, name), getattr(after, name)
        agreed = name == "max_workgroup_size" and new == launch_bounds
        if old != new and not agreed:
            yield "launch-contract", f"{name.replace('_', ' ')} {new} instead of {old}"


def _state(before: CodeObjectFile, after: CodeObjectFile) -> Iterator[Finding]:
    """Tables may come, memory that can be written may not."""
    for name in sorted(_variables(after) - _variables(before)):
        yield "new-variable", f"{name} is device memory that outlives a launch"


def _variables(code: CodeObjectFile) -> frozenset[str]:
    elf = ElfFile(code.data)
    places = dict(enumerate(section.name for section in elf.sections))
    return frozenset(
        symbol.name
        for symbol in elf.symbols
        if symbol.type == _STT_OBJECT
        and symbol.section
        and not symbol.name.startswith(_UNIT_ID)
        and not places.get(symbol.section, "").startswith(_READ_ONLY)
    )


def _resources(after: Artifact, launch: Launch) -> Iterator[Finding]:
    kernel = after.kernel
    total = kernel.lds_bytes + launch.dynamic_lds
    target = load_target(after.code.target)
    largest = target.count("lds.max_bytes_per_workgroup")
    if total > largest:
        yield (
            "lds",
            f"{kernel.lds_bytes} bytes of static and {launch.dynamic_lds} of dynamic LDS are more "
            f"than the {largest} of a workgroup on {target.name}",
        )
        return
    held = occupancy(
        target,
        arch_vgpr=kernel.arch_vgpr,
        accum_vgpr=kernel.accum_vgpr,
        sgpr=kernel.sgpr,
        lds_bytes=total,
        workgroup_size=launch.workgroup_size,
        wave_size=kernel.wave_size,
        wgp_mode=kernel.wgp_mode,
    )
    if held.reason is not None:
        yield "launch-impossible", held.reason


def _instructions(before: InstructionCounts, after: InstructionCounts) -> Iterator[Finding]:
    if before.stores and not after.stores:
        yield "no-stores", f"the original has {before.stores} stores to memory, this has none"
    elif before.loads and not after.loads:
        yield "no-loads", f"the original has {before.loads} loads of memory, this has none"
    for mnemonic in sorted(after.timing - before.timing):
        yield "instruction", f"{mnemonic} is new, and tells or changes timing or place, not results"


def _obligations(before: InstructionCounts, after: InstructionCounts) -> Iterator[str]:
    if after.barriers < before.barriers or after.atomics < before.atomics:
        yield RACES
    if after.total < _SHRUNK_BELOW * before.total:
        yield SHRUNK


def _notes(before: KernelInfo, after: KernelInfo) -> Iterator[str]:
    values: tuple[tuple[str, Optional[int], Optional[int]], ...] = (
        ("VGPRs", before.total_vgpr, after.total_vgpr),
        ("LDS bytes", before.lds_bytes, after.lds_bytes),
        ("scratch bytes per work-item", before.scratch_bytes, after.scratch_bytes),
        ("spilled VGPRs", before.vgpr_spills, after.vgpr_spills),
        ("spilled SGPRs", before.sgpr_spills, after.sgpr_spills),
    )
    for name, old, new in values:
        if old != new:
            yield f"{name}: {old} before, {new} now"


def artifact_of(
    code: CodeObjectFile, symbol: str, instructions: Sequence[str]
) -> Optional[Artifact]:
    """None when the kernel is not in the code object."""
    kernel = code.kernel(symbol)
    return None if kernel is None else Artifact(code, kernel, tuple(instructions))
