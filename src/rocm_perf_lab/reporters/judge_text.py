"""A verdict of the judge as a person reads it."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.prove.judge.document import JudgeDocument
from rocm_perf_lab.reporters import text_table as tt


def render_judge(document: JudgeDocument) -> str:
    rule = document.rule
    level = f"{100 * (1 - rule.interval_miss):g} %"
    lines = [
        f"Blocks      {document.blocks} of two baseline processes and one candidate",
        f"Effect      {document.effect:.4f}x (baseline / candidate)",
        f"Interval    {_ratio(document.low)} to {_ratio(document.high)}, {level}"
        + _for_candidates(document),
        f"By chance   p = {document.p:.2g} faster, {document.p_slower:.2g} slower"
        f" (needed: {rule.alpha / document.candidates:.1g})",
        f"Floor       {_ratio(document.floor)}, from the baseline against itself and"
        f" {rule.min_gain:.1%}",
        f"Outliers    {document.outliers} of {3 * document.blocks} processes, none left out",
    ]
    if document.value == "whole":
        lines.append("Compared    whole times: the candidate gains in its fastest launches only")
    if document.needed:
        lines.append(f"Needed      {document.needed}")
    lines += [tt.wrap(f"Note: {note}.") for note in document.notes]
    name = document.verdict.replace("_", " ")
    return "\n".join([*lines, "", tt.wrap(f"Result: {name} ({document.reason})")]) + "\n"


def _for_candidates(document: JudgeDocument) -> str:
    if document.candidates == 1:
        return ""
    if document.confirmed is not None:
        return ", of the fresh blocks"
    return f", over {document.candidates} candidates together"


def _ratio(value: Optional[float]) -> str:
    return "anything" if value is None else f"{value:.4f}x"
