"""What ``rocm-perf selftest`` found, as a person reads it, and which step is under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.figures.calibration import calibration_lines, calibration_result
from rocm_perf_lab.reporters.progress import PROGRESS
from rocm_perf_lab.selftest.calibrate.rows import Row
from rocm_perf_lab.selftest.document import SelftestDocument
from rocm_perf_lab.selftest.result import FAILS, HOLDS, NOT_HERE, NOT_RUN, StepResult
from rocm_perf_lab.selftest.steps import Step

_WIDTH = 11  # of the status in front of a line
_LIST = (
    tt.Column("verb", align_left=True),
    tt.Column("step", align_left=True),
    tt.Column("what holds", align_left=True),
)


class StepProgress:
    def started(self, name: str, position: int, total: int) -> None:
        PROGRESS.doing(f"{name}, {position} of {total}")

    def ended(self, result: StepResult) -> None:
        PROGRESS.done()


def render_selftest(document: SelftestDocument) -> str:
    kind = ", virtual" if document.rocm_kind == "virtual" else ""
    lines = [
        tt.wrap(f"ROCm: {document.prefix}"),
        tt.wrap(f"Device: {document.device} ({document.target}){kind}"),
        "",
    ]
    for step in document.steps:
        lines += _lines(step)
    if document.folder is not None:
        lines += ["", tt.wrap(f"What the steps wrote is kept in {document.folder}")]
    if document.calibration is not None:
        lines += [*([""] if document.steps else []), *calibration_lines(document.calibration)]
    return "\n".join([*lines, "", tt.closing(_result(document))]) + "\n"


def render_list(
    steps: Sequence[Step], left_out: Mapping[str, str], benchmarks: Sequence[Row]
) -> str:
    lines = []
    if steps:
        rows = [[step.verb, step.name, step.says] for step in steps]
        lines += [tt.render(_LIST, rows), ""]
        lines += [tt.wrap(f"Not tried: {verb}, {why}") for verb, why in left_out.items()]
        lines.append("")
    kinds: dict[str, list[str]] = {}
    for row in benchmarks:
        kinds.setdefault(row.kind.replace(" ", "-"), []).append(row.word)
    lines += [tt.wrap(f"{kind}: {', '.join(words)}") for kind, words in kinds.items()]
    told = [f"{len(steps)} steps"] if steps else []
    told += [f"{len(benchmarks)} benchmarks"] if benchmarks else []
    lines += [""] if kinds else []
    return "\n".join([*lines, tt.closing(f"Result: {', '.join(told)}")]) + "\n"


def _lines(step: StepResult) -> list[str]:
    lines = [tt.field(f"[{step.status}]", f"{step.name}: {step.says}", width=_WIDTH)]
    indent = " " * _WIDTH
    for name, text in (("reason", step.reason), ("log", step.log), ("next", step.next_step)):
        if text is not None:
            lines.append(tt.field(f"{indent}{name}:", text, width=_WIDTH + 8))
    return lines


def _result(document: SelftestDocument) -> str:
    counts = {
        status: sum(step.status == status for step in document.steps)
        for status in (HOLDS, FAILS, NOT_RUN, NOT_HERE)
    }
    told = [f"{counts[HOLDS]} of {len(document.steps)} steps hold"]
    if counts[FAILS]:
        first = next(step.name for step in document.steps if step.status == FAILS)
        told.append(f"{counts[FAILS]} fail{'s' * (counts[FAILS] == 1)}, first {first}")
    told += [f"{counts[status]} {status}" for status in (NOT_RUN, NOT_HERE) if counts[status]]
    if document.calibration is not None:
        told = [*(told if document.steps else []), calibration_result(document.calibration)]
    virtual = " on the virtual device" if document.rocm_kind == "virtual" else ""
    return f"Result: {', '.join(told)}{virtual}"
