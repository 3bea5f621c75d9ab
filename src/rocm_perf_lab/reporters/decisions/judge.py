"""A verdict of the judge as a person reads it."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.prove.judge.document import JudgeDocument
from rocm_perf_lab.prove.judge.self_test import SelfTestDocument
from rocm_perf_lab.reporters import text_table as tt


def render_judge(document: JudgeDocument) -> str:
    rule = document.rule
    level = f"{100 * (1 - rule.interval_miss):g} %"
    lines = [
        tt.field("Blocks", f"{document.blocks} of two baseline processes and one candidate"),
        tt.field("Effect", f"{document.effect:.4f}x (baseline / candidate, all launches)"),
        tt.field("Interval", _interval(document, level)),
        tt.field(
            "By chance",
            f"p = {document.p:.2g} faster, {document.p_slower:.2g} slower"
            f" (needed: {rule.level / document.candidates:.1g})",
        ),
        tt.field(
            "Floor",
            f"{_ratio(document.floor)}, from the baseline against itself and {rule.min_gain:.1%}",
        ),
        tt.field(
            "Outliers",
            f"{document.outliers} of {3 * document.blocks} processes, none left out",
        ),
    ]
    lines += _parts(document)
    if document.needed:
        lines.append(tt.field("Needed", document.needed))
    lines += [tt.wrap(f"Note: {note}.") for note in document.notes]
    name = document.verdict.replace("_", " ")
    return "\n".join([*lines, "", tt.closing(f"Result: {name} ({document.reason})")]) + "\n"


def _parts(document: JudgeDocument) -> list[str]:
    """What is not a claim: sums as they are, one launch, and the launches behind the first."""
    parts = []
    if document.totals is not None:
        parts.append(tt.field("Sums", f"{document.totals:.4f}x, no process left out"))
    if document.typical is not None and document.launches != 1:
        parts.append(tt.field("One launch", f"{document.typical:.4f}x, a typical one"))
    if document.later is not None:
        later = f"{document.later:.4f}x without the first of each process"
        parts.append(tt.field("Later ones", later))
    return parts


def _interval(document: JudgeDocument, level: str) -> str:
    between = f"{_ratio(document.low)} to {_ratio(document.high)}, {level}"
    return between + _for_candidates(document)


def _for_candidates(document: JudgeDocument) -> str:
    if document.candidates == 1:
        return ""
    if document.confirmed is not None:
        return ", of the fresh blocks"
    return f", over {document.candidates} candidates together"


def _ratio(value: Optional[float]) -> str:
    return "anything" if value is None else f"{value:.4f}x"


def render_self_test(document: SelfTestDocument) -> str:
    device = document.device or "an unknown device"
    false = document.false_accepts
    rows = [
        [f"{row.gain:.1%}", f"{row.found.count} of {row.found.trials}", f"{row.found.low:.0%}"]
        for row in document.gains
    ]
    columns = (tt.Column("true gain"), tt.Column("accepted"), tt.Column("at least (95 %)"))
    smallest = (
        f"finds {document.smallest_gain:.1%} in 9 of 10"
        if document.smallest_gain is not None
        else "finds no gain that was tried in 9 of 10"
    )
    return (
        "\n".join(
            [
                tt.wrap(f"Self-test of the judge on {device}{' (virtual)' * document.virtual}"),
                tt.wrap(f"Kernel {document.kernel}, {document.dispatches} dispatches a process"),
                tt.wrap(
                    f"{document.blocks} blocks of the same program measured; processes differ by"
                    f" {document.process_noise:.2%}"
                ),
                tt.wrap(
                    f"Trials draw from them, with repetition, and look at {_looks(document)} blocks"
                ),
                "",
                tt.render(columns, rows),
                "",
                tt.closing(
                    f"Result: {false.count} of {false.trials} unchanged programs accepted"
                    f" (at most {false.high:.2%} with 95 %), {smallest}"
                ),
            ]
        )
        + "\n"
    )


def _looks(document: SelfTestDocument) -> str:
    *first, last = (str(blocks) for blocks in document.looks)
    return f"{', '.join(first)} and {last}" if first else last
