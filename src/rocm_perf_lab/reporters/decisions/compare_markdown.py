"""A comparison as Markdown, for the comment or the summary of a CI job."""

from __future__ import annotations

from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument, RowModel
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.compare import (
    END_TO_END,
    MOST_ROWS,
    change,
    how_measured,
    interval,
    notes,
    result_line,
)
from rocm_perf_lab.reporters.kernel_names import shorten

_NAME_WIDTH = 60
_EMPHASISED = ("regression", "improvement")


def render_markdown(document: ComparisonDocument) -> str:
    shown = document.kernels[:MOST_ROWS]
    lines = [
        f"### {escaped(result_line(document).removeprefix('Result: '))}",
        "",
        f"Base: {code(document.base.given)} ({document.base.runs} runs)  ",
        f"Head: {code(document.head.given)} ({document.head.runs} runs)  ",
        f"Device: {escaped(document.base.device or 'unknown')}",
        "",
        "| kernel | base | head | change | interval | verdict |",
        "|---|--:|--:|--:|--:|---|",
        *(_row(row) for row in (document.end_to_end, *shown)),
        "",
    ]
    hidden = len(document.kernels) - len(shown)
    if hidden > 0:
        lines += [f"{hidden} more kernels are in the JSON document.", ""]
    lines += [f"- {escaped(note)}" for note in notes(document)]
    lines += ["", escaped(how_measured(document).replace("\n ", ""))]
    return "\n".join(lines) + "\n"


def _row(row: RowModel) -> str:
    name = END_TO_END if row.kernel is None else code(shorten(row.kernel, _NAME_WIDTH))
    word = f"**{row.verdict}**" if row.verdict in _EMPHASISED else row.verdict
    times = f"{tt.duration(row.base_ns)} | {tt.duration(row.head_ns)}"
    return f"| {name} | {times} | {change(row.change)} | {interval(row)} | {word} |"


def code(text: str) -> str:
    """In a table a bar ends the cell, even inside of code; a backtick would end the code."""
    return "`" + tt.ascii_only(text).replace("`", "'").replace("|", "\\|") + "`"


def escaped(text: str) -> str:
    """Names of kernels are foreign text: nothing of them may become markup."""
    return "".join(f"\\{c}" if c in "\\`*_<>[]|#" else c for c in tt.ascii_only(text))
