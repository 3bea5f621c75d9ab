"""From judgements to the comparison document: one row per kernel, one for the whole, one word."""

from __future__ import annotations

import shlex
import statistics
from collections.abc import Mapping, Sequence
from typing import Literal, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.measure.process_times import MachineIdentity, ProcessTimes
from rocm_perf_lab.prove.compare import compare_schema as schema
from rocm_perf_lab.prove.compare.judgement import (
    IMPROVEMENT,
    INCONCLUSIVE,
    NO_CHANGE,
    NOT_JUDGED,
    REGRESSION,
    Judgement,
    Word,
    not_judged,
    only_in,
)
from rocm_perf_lab.prove.compare.machines import device_name
from rocm_perf_lab.prove.compare.output import NOT_RUN, PrintedOutput
from rocm_perf_lab.prove.compare.sides import CommandSide, Side
from rocm_perf_lab.prove.compare.subjects import (
    END_TO_END,
    LEAST_SHARE,
    Subject,
    launched_alike,
    share_of,
)
from rocm_perf_lab.redaction import redacted_words

Rows = tuple[schema.RowModel, list[schema.RowModel]]  # the whole, and the kernels
Quantity = Literal["critical_path", "kernel_time", "wall_time", "dispatch"]


def document(
    kind: Literal["commands", "recordings", "profiles"],
    virtual: bool,
    both: tuple[schema.SideModel, schema.SideModel],
    method: schema.MethodModel,
    rows: Rows,
    notes: Sequence[str],
    output: PrintedOutput = NOT_RUN,
) -> schema.ComparisonDocument:
    whole, kernels = rows
    return schema.ComparisonDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=__version__,
        kind=kind,
        virtual=virtual,
        base=both[0],
        head=both[1],
        method=method,
        verdict=overall([whole, *kernels]),
        end_to_end=whole,
        kernels=kernels,
        notes=list(notes),
        output=output.word,
        output_reason=output.reason,
    )


def overall(rows: Sequence[schema.RowModel]) -> Word:
    """A regression anywhere is one. An improvement is one only when nothing became slower; that
    everything is as it was takes a decision on every row that was judged."""
    words = {row.verdict for row in rows}
    for word in (REGRESSION, IMPROVEMENT, INCONCLUSIVE, NO_CHANGE):
        if word in words:
            return word
    return NOT_JUDGED


def sides(
    base: Side,
    head: Side,
    machines: tuple[MachineIdentity, MachineIdentity],
    runs: tuple[int, int],
) -> tuple[schema.SideModel, schema.SideModel]:
    first, second = (
        schema.SideModel(given=given(side), runs=count, device=device_name(machine.device))
        for side, machine, count in zip((base, head), machines, runs)
    )
    return first, second


def rows_of(
    bases: Sequence[ProcessTimes],
    heads: Sequence[ProcessTimes],
    judgements: Mapping[Subject, Judgement],
) -> Rows:
    """Kernels that were not judged have a row too, which says why not."""
    unknown = not_judged("the recording does not hold when its work began and ended")
    spans = [_median([run.critical_path_ns for run in runs]) for runs in (bases, heads)]
    judged = judgements.get(END_TO_END, unknown)
    whole = row(None, "critical_path", spans, [None, None], None, judged)
    names = dict.fromkeys(name for run in (*bases, *heads) for name in run.kernels)
    kernels = [_kernel_row(name, bases, heads, judgements.get(name)) for name in names]
    return whole, sorted(kernels, key=lambda found: (-(found.share or 0), found.kernel or ""))


def _kernel_row(
    name: str,
    bases: Sequence[ProcessTimes],
    heads: Sequence[ProcessTimes],
    judged: Optional[Judgement],
) -> schema.RowModel:
    times = [[run.kernels[name] for run in runs if name in run.kernels] for runs in (bases, heads)]
    share = share_of(bases, heads, name)
    if not launched_alike([*bases, *heads], name):
        return row(
            name,
            "kernel_time",
            [_median([float(sum(run)) for run in side]) for side in times],
            _launches(times),
            share,
            judged or _why_not(times, share),
        )
    return row(
        name,
        "dispatch",
        [_median([statistics.median(run) for run in side]) for side in times],
        _launches(times),
        share,
        judged or _why_not(times, share),
    )


def _launches(times: Sequence[Sequence[Sequence[int]]]) -> list[Optional[int]]:
    return [round(statistics.median(map(len, side))) if side else None for side in times]


def _why_not(times: Sequence[Sequence[object]], share: float) -> Judgement:
    base, head = times
    if not base or not head:
        return only_in("HEAD" if head else "BASE")
    if share < LEAST_SHARE:
        return not_judged(f"less than {LEAST_SHARE:.0%} of the time")
    return not_judged("not every run launched it with a time above 0")


def row(
    kernel: Optional[str],
    quantity: Quantity,
    values: Sequence[Optional[float]],
    launches: Sequence[Optional[int]],
    share: Optional[float],
    judged: Judgement,
) -> schema.RowModel:
    base, head = values
    change = judged.change
    if change is None and base and head:
        change = head / base - 1
    return schema.RowModel(
        kernel=kernel,
        quantity=quantity,
        base_ns=base,
        head_ns=head,
        base_launches=launches[0],
        head_launches=launches[1],
        share=share,
        verdict=judged.word,
        change=change,
        low=judged.low,
        high=judged.high,
        p_slower=judged.p_slower,
        p_faster=judged.p_faster,
        reason=judged.reason,
        needed=judged.needed,
        blocks=judged.blocks,
    )


def _median(values: Sequence[Optional[float]]) -> Optional[float]:
    known = [float(value) for value in values if value is not None]
    return statistics.median(known) if known else None


def given(side: Side) -> str:
    if isinstance(side, CommandSide):
        words = shlex.join(redacted_words(side.command.argv))
        return f"{side.version}: {words}" if side.version else words
    return side.text
