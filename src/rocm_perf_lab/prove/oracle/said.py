"""What is said beside a verdict: notes, what no trial varied, what is known of the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.prove.oracle.baseline import Baseline
from rocm_perf_lab.prove.oracle.outputs import Right
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.precision.sharpness import INPUTS_ONLY
from rocm_perf_lab.prove.oracle.reference import Reference
from rocm_perf_lab.prove.oracle.report import TypedArgument, Use
from rocm_perf_lab.prove.oracle.trials.elsewhere import GROWTH, Elsewhere


def not_varied(baseline: Baseline, rights: Sequence[Right], virtual: bool) -> tuple[str, ...]:
    """What may still differ: said beside every yes. ``rights`` are the trials."""
    found = ["sizes above the captured ones, addresses"]
    if baseline.elsewhere is not None:
        found = [f"sizes above {_largest(baseline.elsewhere, rights)} the captured ones"]
    shapes = baseline.free_shapes(rights)
    if not any(shape.block != baseline.capture.dispatch.block for shape in shapes):
        found.append("the shape of workgroups")
    if not baseline.trials.fields:
        found.append("numbers among the arguments")
    untyped = [one.name for one in baseline.own_buffers if one.element is None]
    if untyped:
        found.append(
            f"the content of {', '.join(untyped)} but for the order of its words and their lowest "
            "bits: no type is known"
        )
    if not virtual:
        found.append("the order of waves")
    return tuple(found)


def _largest(there: Elsewhere, rights: Sequence[Right]) -> str:
    """How many times as large as the captured one some size was; each goes to twice its own."""
    sizes = [one for one in rights if one.scene.kind == "sizes" and not one.optional]
    growths = [there.moved[one.scene.setting - 1].growth for one in sizes if one.scene.setting]
    most = max(growths, default=GROWTH)
    return f"{most} times" if most > GROWTH else "twice"


def notes(baseline: Baseline, reference: Optional[Reference], virtual: bool) -> list[str]:
    told = []
    if baseline.varying:
        told.append("the captured code itself depends on the order of waves")
    if reference is not None and reference.code is None:
        told.append(f"nothing of higher precision to compare with: {reference.said}")
    inputs = baseline.inputs()
    if not inputs:
        told.append("no buffer is an input: only arguments and launch were varied")
    elif all(one.element is None for one in inputs):
        told.append(
            "no input has a known type: only the order of its words and their lowest bits "
            "were varied"
        )
    if not baseline.poisonable:
        told.append("outputs were not poisoned: the captured code reads what it overwrites")
    if not baseline.has_guard_pages:
        told.append("pages around the buffers were not free: only the rest of pages is guarded")
    if not virtual:
        told += ["the order of waves cannot be chosen on this device", INPUTS_ONLY]
    told += [
        f"{count} trials dropped, because of the captured code: {reason}"
        for reason, count in sorted(baseline.dropped.items())
        if count
    ]
    if baseline.left_out:
        told.append(f"{baseline.left_out} trials left out: the dispatch is large")
    told += [f"the candidate's box could not hold: {one}" for one in baseline.not_enforced]
    return told


def typed_arguments(baseline: Baseline) -> list[TypedArgument]:
    return [_typed(baseline, one) for one in baseline.own_buffers]


def _typed(baseline: Baseline, buffer: Buffer) -> TypedArgument:
    use: Use = "input"
    if baseline.writes(buffer):
        use = "output" if baseline.is_output(buffer) else "input and output"
    name = None if buffer.element is None else buffer.element.name
    return TypedArgument(buffer.name, name, buffer.source, use, buffer.size)
