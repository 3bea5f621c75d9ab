"""A comparison as Markdown, for the comment or the summary of a CI job."""

from __future__ import annotations

from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument, RowModel
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.compare import (
    MOST_ROWS,
    change,
    how_measured,
    interval,
    named_rows,
    notes,
    output_line,
    result_line,
)

_NAME_WIDTH = 60
_EMPHASISED = ("regression", "improvement")


def render_markdown(document: ComparisonDocument) -> str:
    lines = [
        f"### {escaped(result_line(document).removeprefix('Result: '))}",
        "",
        f"Output: {escaped(output_line(document))}  ",
        f"Base: {code(document.base.given)} ({document.base.runs} runs)  ",
        f"Head: {code(document.head.given)} ({document.head.runs} runs)  ",
        f"Device: {escaped(document.base.device or 'unknown')}",
        "",
        "| kernel | base | head | change | interval | verdict |",
        "|---|--:|--:|--:|--:|---|",
        *(_row(name, row) for name, row in named_rows(document, _NAME_WIDTH)),
        "",
    ]
    hidden = len(document.kernels) - MOST_ROWS
    if hidden > 0:
        lines += [f"{hidden} more kernels are in the JSON document.", ""]
    lines += [f"- {escaped(note)}" for note in notes(document)]
    lines += ["", escaped(how_measured(document))]
    return "\n".join(lines) + "\n"


def _row(short: str, row: RowModel) -> str:
    name = short if row.kernel is None else code(short)
    word = f"**{row.verdict}**" if row.verdict in _EMPHASISED else row.verdict
    times = f"{tt.duration(row.base_ns)} | {tt.duration(row.head_ns)}"
    return f"| {name} | {times} | {change(row.change)} | {interval(row)} | {word} |"


def code(text: str) -> str:
    """In a table a bar ends the cell, even inside of code; a backtick would end the code."""
    return "`" + tt.ascii_only(text).replace("`", "'").replace("|", "\\|") + "`"


def escaped(text: str) -> str:
    """Names of kernels are foreign text: nothing of them may become markup."""
    return "".join(f"\\{c}" if c in "\\`*_<>[]|#" else c for c in tt.ascii_only(text))
