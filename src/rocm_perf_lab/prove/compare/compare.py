"""``compare`` as a function: two commands, recordings or profiles in, one document out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional, cast

from rocm_perf_lab.collect.rocprof.options import SILENT, Progress
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.measure.blocks import BlockRequest, BlockTimes, measure_blocks
from rocm_perf_lab.measure.process_times import MachineIdentity, ProcessTimes, process_times
from rocm_perf_lab.measure.recorded import runs_of
from rocm_perf_lab.prove.compare import document, paired, unpaired
from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument, MethodModel
from rocm_perf_lab.prove.compare.machines import check_comparable, machine_of_profile, one_machine
from rocm_perf_lab.prove.compare.output import NOT_ASKED, PrintedOutput, compare_printed
from rocm_perf_lab.prove.compare.profiles import profile_rows
from rocm_perf_lab.prove.compare.recordings import recording_rows
from rocm_perf_lab.prove.compare.sides import (
    CommandSide,
    ProfileSide,
    RecordingSide,
    Side,
    same_kind,
)
from rocm_perf_lab.prove.compare.subjects import Subject
from rocm_perf_lab.prove.judge import Samples
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.load import load

_APART = (
    "the two were recorded one after the other: what the machine did in between looks like a "
    "change; comparing the commands does not have that fault"
)


@dataclass(frozen=True)
class CompareRequest:
    base: Side
    head: Side
    threshold: float = 0.02  # a smaller change of the time counts as none
    blocks: int = 48  # of commands, at most
    seed: int = 0
    rocm: Optional[Path] = None
    timeout_s: Optional[float] = None
    echo_stderr: bool = False
    progress: Progress = SILENT

    def __post_init__(self) -> None:
        same_kind(self.base, self.head)
        if not 0.01 <= self.threshold < 1:
            raise UsageError(
                f"a threshold of {self.threshold:.1%} is not between 1 % and 100 %",
                "use --threshold 2",
            )


@dataclass(frozen=True)
class Compared:
    document: ComparisonDocument
    samples: Mapping[Subject, Samples] = field(default_factory=dict)  # of commands


def compare(request: CompareRequest) -> Compared:
    base, head = request.base, request.head
    if isinstance(base, CommandSide) and isinstance(head, CommandSide):
        return _commands(request, base, head)
    if isinstance(base, RecordingSide) and isinstance(head, RecordingSide):
        return Compared(_recordings(request, base, head))
    return Compared(_profiles(request, cast("ProfileSide", base), cast("ProfileSide", head)))


def _commands(request: CompareRequest, base: CommandSide, head: CommandSide) -> Compared:
    wanted = BlockRequest(
        base.command,
        head.command,
        blocks=request.blocks,
        seed=request.seed,
        rocm=request.rocm,
        timeout_s=request.timeout_s,
        echo_stderr=request.echo_stderr,
        progress=request.progress,
    )
    with closing(measure_blocks(wanted)) as blocks:
        return compare_blocks(
            request, blocks, lambda: compare_printed(base.command, head.command, request.timeout_s)
        )


def compare_blocks(
    request: CompareRequest,
    blocks: Iterator[BlockTimes],
    printed: Callable[[], PrintedOutput] = lambda: NOT_ASKED,
) -> Compared:
    """Of blocks that were measured already, or are measured as they are asked for. ``printed`` is
    asked when both commands ran."""
    judged = paired.judge_blocks(blocks, request.blocks, request.threshold)
    bases, heads = paired.bases_of(judged.blocks), paired.heads_of(judged.blocks)
    machines = _machines(bases, heads)
    notes = check_comparable(*machines)
    method = MethodModel(
        design="interleaved blocks",
        threshold=request.threshold,
        alpha=2 * paired.ALPHA,
        blocks=len(judged.blocks),
        most_blocks=request.blocks,
        seed=request.seed,
        orders=[list(block.order) for block in judged.blocks],
    )
    rows = document.rows_of(bases, heads, judged.judgements)
    sides = document.sides(request.base, request.head, machines, (len(bases), len(heads)))
    output = printed()
    made = document.document("commands", machines[0].virtual, sides, method, rows, notes, output)
    return Compared(made, judged.samples())


def _recordings(
    request: CompareRequest, base: RecordingSide, head: RecordingSide
) -> ComparisonDocument:
    bases, heads = _runs(base.path), _runs(head.path)
    machines = _machines(bases, heads)
    notes = check_comparable(*machines)
    rows = document.rows_of(bases, heads, recording_rows(bases, heads, request.threshold))
    sides = document.sides(base, head, machines, (len(bases), len(heads)))
    return document.document(
        "recordings", machines[0].virtual, sides, _unpaired(request), rows, [*notes, _APART]
    )


def _machines(
    bases: Sequence[ProcessTimes], heads: Sequence[ProcessTimes]
) -> tuple[MachineIdentity, MachineIdentity]:
    base = one_machine((process.machine for process in bases), "BASE")
    return base, one_machine((process.machine for process in heads), "HEAD")


def _runs(path: Path) -> list[ProcessTimes]:
    parts = Parts.COPIES | Parts.COUNTERS
    return [process_times(load([run], parts=parts)) for run in runs_of([path])]


def _profiles(request: CompareRequest, base: ProfileSide, head: ProfileSide) -> ComparisonDocument:
    machines = machine_of_profile(base.document), machine_of_profile(head.document)
    notes = check_comparable(*machines)
    rows = profile_rows(base.document, head.document, request.threshold)
    runs = base.document.stability.runs, head.document.stability.runs
    sides = document.sides(base, head, machines, runs)
    return document.document(
        "profiles", machines[0].virtual, sides, _unpaired(request), rows, [*notes, _APART]
    )


def _unpaired(request: CompareRequest) -> MethodModel:
    return MethodModel(
        design="unpaired runs",
        threshold=request.threshold,
        alpha=2 * unpaired.ALPHA,
        blocks=None,
        most_blocks=None,
        seed=None,
        orders=None,
    )
