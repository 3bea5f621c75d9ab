"""Two programs in interleaved process blocks: what a judge of speed needs.

The clock, the temperature and the neighbours of a GPU change from process to process and from hour
to hour. Each block therefore runs the baseline, the candidate and the baseline again as processes
of their own, in an order that a seed decides. What changes slowly meets all three alike, and the
two baseline processes show what nothing but noise looks like.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress, Starter, Step
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.errors import NothingRecorded, PerfLabError, UsageError
from rocm_perf_lab.measure.meter import Command, Meter, MeterOptions
from rocm_perf_lab.measure.process_times import ProcessTimes, Times
from rocm_perf_lab.redaction import redacted_words

A, A2, B = ROLES = ("A", "A2", "B")
_LABELS = {A: "base", A2: "base again", B: "head"}


@dataclass(frozen=True)
class BlockRequest:
    base: Command
    head: Command
    blocks: int = 20  # at most; a caller that knows enough stops asking
    seed: int = 0  # of the order in each block
    rocm: Optional[Path] = None
    timeout_s: Optional[float] = None  # per process
    stdout: Stdout = Stdout.DISCARD
    echo_stderr: bool = False  # what a failed process wrote is in the error anyway
    progress: Progress = SILENT
    start: Starter = run_process  # what starts the profiler
    space: Optional[Path] = None  # an empty folder for the recordings; else a temporary one

    def __post_init__(self) -> None:
        if self.blocks < 1:
            raise UsageError(f"{self.blocks} blocks measure nothing", "use --blocks 1 or more")


@dataclass(frozen=True)
class BlockTimes:
    """Three processes that ran in sequence."""

    number: int  # from 1
    order: tuple[str, ...]  # of ROLES, as they ran
    processes: Mapping[str, ProcessTimes]  # by role


def measure_blocks(request: BlockRequest) -> Generator[BlockTimes, None, None]:
    """Block by block. Whoever needs no more closes the generator, which removes the recordings.

    Raises what running an application can raise, and says of which of the two.
    """
    prefix = find_prefix(request.rocm)
    with recording_space(request.space) as space:
        base = _meter(request, request.base, prefix, space)
        head = _meter(request, request.head, prefix, space)
        meters = {A: base, A2: base, B: head}
        for number in range(1, request.blocks + 1):
            order = order_of(request.seed, number)
            processes = {}
            for role in order:
                step = Step(_LABELS[role], number, request.blocks)
                processes[role] = _measure(meters[role], step, role, request)
            yield BlockTimes(number, order, processes)


def order_of(seed: int, number: int) -> tuple[str, ...]:
    """Any of the six orders; the same seed gives the same ones."""
    order = list(ROLES)
    random.Random(f"block {number} of {seed}").shuffle(order)
    return tuple(order)


def kernel_times(blocks: Sequence[BlockTimes], kernel: str) -> list[tuple[Times, Times, Times]]:
    """Of each block the times of A, A2 and B. Every process must have launched the kernel."""
    found = []
    for block in blocks:
        for role in ROLES:
            if kernel not in block.processes[role].kernels:
                known = sorted(block.processes[role].kernels)
                raise NothingRecorded(
                    f"{_LABELS[role]} of block {block.number} launched no kernel {kernel}",
                    f"it launched {', '.join(known[:5]) or 'none'}",
                )
        a, a2, b = (block.processes[role].kernels[kernel] for role in ROLES)
        found.append((a, a2, b))
    return found


def _meter(request: BlockRequest, command: Command, prefix: Prefix, space: Path) -> Meter:
    options = MeterOptions(
        request.timeout_s, request.stdout, request.echo_stderr, request.progress, request.start
    )
    return Meter(command, prefix, space, options)


def _measure(meter: Meter, step: Step, role: str, request: BlockRequest) -> ProcessTimes:
    try:
        return meter.measure(step)
    except PerfLabError as error:
        command = request.head if role == B else request.base
        side = "HEAD" if role == B else "BASE"
        error.cause = f"{side} ({shlex.join(redacted_words(command.argv))}): {error.cause}"
        raise
