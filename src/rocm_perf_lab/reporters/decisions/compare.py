"""A comparison as a person reads it: fits the terminal, plain ASCII, last line ``Result:``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument, RowModel, SideModel
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.fidelity import fidelity_line
from rocm_perf_lab.reporters.kernel_names import short_names

MOST_ROWS = 20
END_TO_END = "end to end"
COLUMNS = (
    tt.Column("kernel", align_left=True, shorten=short_names),
    tt.Column("base"),
    tt.Column("head"),
    tt.Column("change"),
    tt.Column("interval"),
    tt.Column("verdict", align_left=True),
)
_NAME_WIDTH = 32


def render_comparison(document: ComparisonDocument) -> str:
    parts = [tt.wrap(tt.ascii_only(f"{output_line(document)}."))]
    parts += [_heading(document), _table(document), tt.wrap(how_measured(document))]
    parts.extend(["\n".join(tt.wrap(line) for line in lines)] if (lines := notes(document)) else [])
    if document.virtual:
        parts.append(tt.wrap(fidelity_line()))
    parts.append(tt.closing(result_line(document)))
    return "\n\n".join(parts) + "\n"


def result_line(document: ComparisonDocument) -> str:
    where = " on the virtual device" if document.virtual else ""
    first = f"{output_line(document)}; " if document.output == "different" else ""
    return tt.ascii_only(f"Result: {first}{_answer(document)}{where}")


def output_line(document: ComparisonDocument) -> str:
    """What a time is worth: the first line, before any change of it."""
    reason = document.output_reason or "it is not known"
    if document.output == "different":
        return f"the outputs differ: {reason}"
    if document.output == "same":
        return f"the outputs are the same: {reason}"
    return f"output not compared: {reason}"


def _answer(document: ComparisonDocument) -> str:
    rows = [document.end_to_end, *document.kernels]
    if document.verdict in ("regression", "improvement"):
        found = [row for row in rows if row.verdict == document.verdict]
        named = ", ".join(_named_changes(document, found[:3]))
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        return f"{document.verdict}: {named}{more}"
    if document.verdict == "inconclusive":
        open_rows = sum(row.verdict == "inconclusive" for row in rows)
        return f"no change shown, {open_rows} of {len(rows)} undecided"
    if document.verdict == "no change":
        return f"no change of {document.method.threshold:.0%} or more"
    return f"not judged: {document.end_to_end.reason}"


def _heading(document: ComparisonDocument) -> str:
    lines = [f"Base: {_side(document.base)}", f"Head: {_side(document.head)}"]
    device = [tt.wrap(f"Device: {document.base.device}")] if document.base.device else []
    return "\n".join([*map(tt.clip, lines), *device])


def _side(side: SideModel) -> str:
    return f"{side.given} ({side.runs} run{'s' if side.runs != 1 else ''})"


def _table(document: ComparisonDocument) -> str:
    table = tt.render(COLUMNS, [[name, *_cells(row)] for name, row in named_rows(document)])
    hidden = len(document.kernels) - MOST_ROWS
    return table + (f"\n... and {hidden} more kernels (see --json)" if hidden > 0 else "")


def _cells(row: RowModel) -> list[str]:
    return [
        tt.duration(row.base_ns),
        tt.duration(row.head_ns),
        change(row.change),
        interval(row),
        row.verdict,
    ]


def change(value: Optional[float]) -> str:
    return tt.ABSENT if value is None else f"{100 * value:+.1f}%"


def interval(row: RowModel) -> str:
    if row.low is None and row.high is None:
        return tt.ABSENT
    low = "..." if row.low is None else change(row.low)
    return f"{low} to {'...' if row.high is None else change(row.high)}"


def how_measured(document: ComparisonDocument) -> str:
    method = document.method
    if method.design == "interleaved blocks":
        return (
            f"Method: {method.blocks} blocks of base, head and base again, each a process of its "
            f"own, in random order (seed {method.seed}); 99 % intervals; equal programs are called "
            f"different at most once in {1 / method.alpha:.0f} comparisons."
        )
    return "Method: an exact rank test of the runs; 99 % intervals, all rows together."


def notes(document: ComparisonDocument) -> list[str]:
    """Why rows were not decided, each reason once, and what the comparison rests on."""
    lines = []
    for name, row in named_rows(document):
        if row.verdict in ("inconclusive", "not judged"):
            cure = f" Needed: {row.needed}." if row.needed else ""
            lines.append(f"{name}: {row.verdict}: {row.reason}.{cure}")
        if row.base_launches != row.head_launches and row.base_launches and row.head_launches:
            lines.append(
                f"{name}: {row.base_launches} launches in base, {row.head_launches} in head"
            )
    return [*lines, *(f"Note: {note}." for note in document.notes)]


def _named_changes(document: ComparisonDocument, rows: Sequence[RowModel]) -> Iterator[str]:
    """Under the names that they have in the table, or would have."""
    others = [row for row in document.kernels[:MOST_ROWS] if row not in rows]
    known = [row.kernel for row in (*rows, *others) if row.kernel is not None]
    names = dict(zip(known, short_names(known, _NAME_WIDTH)))
    for row in rows:
        name = END_TO_END if row.kernel is None else names[row.kernel]
        yield f"{name} {change(row.change)}"


def named_rows(
    document: ComparisonDocument, width: int = _NAME_WIDTH
) -> list[tuple[str, RowModel]]:
    """The rows that are shown, each with the one name that it has everywhere."""
    shown = document.kernels[:MOST_ROWS]
    names = short_names([row.kernel or "" for row in shown], width)
    return [(END_TO_END, document.end_to_end), *zip(names, shown)]
