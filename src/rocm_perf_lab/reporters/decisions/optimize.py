"""A search for faster code as a person reads it, while it runs and at its end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.prove.judge.verdict import at_least
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.fidelity import fidelity_line
from rocm_perf_lab.reporters.progress import PROGRESS

if TYPE_CHECKING:
    from rocm_perf_lab.optimize.attempt import Attempt
    from rocm_perf_lab.optimize.document import OptimizeDocument


class SearchProgress:
    """On stderr: what is done, one line, and the outcome of each attempt, a line each."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def doing(self, what: str) -> None:
        if what:
            PROGRESS.doing(tt.ascii_only(what))
        else:
            PROGRESS.done()

    def attempted(self, attempt: Attempt) -> None:
        PROGRESS.done()
        seconds = time.monotonic() - self._began
        text = f"{attempt.verdict:12} {attempt.stage.value:10} {attempt.proposal}: {attempt.reason}"
        print(tt.ascii_only(f"{seconds:6.0f} s  {text}")[:200], file=sys.stderr)


def render_optimize(document: OptimizeDocument) -> str:
    return "\n".join(_lines(document)) + "\n"


def _lines(document: OptimizeDocument) -> Iterator[str]:
    stages: dict[str, int] = {}
    for attempt in document.attempts:
        if attempt.verdict != "accept":
            stages[attempt.stage] = stages.get(attempt.stage, 0) + 1
    ended = ", ".join(f"{count} at {stage}" for stage, count in sorted(stages.items()))
    yield tt.field("Device", document.device)
    yield tt.field("Attempts", str(len(document.attempts)) + (f"; ended: {ended}" if ended else ""))
    for kernel in document.kernels:
        gain = f"{kernel.speedup:.3f}x, at least {_low(kernel.low)}"
        yield tt.field("Kernel", f"{kernel.kernel}: {gain}")
        yield tt.field("Output", kernel.proof)
        if kernel.not_varied:
            yield tt.field("Not varied", "; ".join(kernel.not_varied))
    if document.kernels:
        speedup = document.speedup
        low = _low(speedup.application_low)
        yield f"Application {_ratio(speedup.application)}, at least {low}"
    for one in document.not_applied[:10]:
        what = one.rule or "left alone"
        yield tt.field("Not done", f"{one.kernel}, {what}: {one.why}")
    for note in document.notes:
        yield tt.wrap(f"Note: {note}.")
    if document.device == "virtual":
        yield tt.wrap(fidelity_line())
    yield tt.field("Evidence", document.evidence)
    if document.output is not None:
        kept = "" if document.written else " (not written over)"
        yield tt.field("Written", f"{document.output}{kept}")
    if document.diff:
        yield ""
        yield document.diff.rstrip("\n")
    yield ""
    name = document.verdict.replace("_", " ").upper()
    stopped = "interrupted; " if document.interrupted else ""
    yield tt.closing(f"Result: {name} ({stopped}{document.reason})")


def _low(value: Optional[float]) -> str:
    return "unknown" if value is None else at_least(value)


def _ratio(value: Optional[float]) -> str:
    return "unknown" if value is None else f"{value:.3f}x"
