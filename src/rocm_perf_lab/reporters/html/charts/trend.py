"""A line of a history: each kernel over its entries, with the places where it changed."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource

from rocm_perf_lab.history.trend import Line, Series
from rocm_perf_lab.prove.compare.judgement import REGRESSION
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.html.charts import style
from rocm_perf_lab.reporters.html.sections.trend import (
    commit_of,
    interval_of,
    name_of,
    nanoseconds,
)
from rocm_perf_lab.reporters.kernel_names import shorten

MOST_DRAWN = 8
_NAME_WIDTH = 40


def trend_chart(line: Line) -> Any:
    plot = style.new_figure(
        "Time of each entry relative to the first",
        line.is_virtual,
        360,
        tools=style.TOOLS,
        x_axis_label="entry of the history",
        y_axis_label="time / time of the first entry",
    )
    shown = [series for series in line.series[:MOST_DRAWN] if series.values[0]]
    points = [_draw(plot, series, number) for number, series in enumerate(shown)]
    marks = [_mark(plot, series) for series in shown if series.changes]
    rows = [("kernel", "@kernel"), ("entry", "@entry"), ("commit", "@commit"), ("time", "@time")]
    style.hover(plot, rows, points)
    rows = [("kernel", "@kernel"), ("from entry", "@entry"), ("commit", "@commit")]
    style.hover(plot, [*rows, ("change", "@verdict, @change")], marks)
    style.whole_numbers(plot.xaxis)
    if points:
        style.legend_below(plot, 3)
    return plot


def _draw(plot: Any, series: Series, number: int) -> Any:
    times = nanoseconds(series)
    source = ColumnDataSource(
        {
            "entry": [entry.number for entry in series.entries],
            "ratio": [value / times[0] for value in times],
            "time": [tt.duration(value) for value in times],
            "commit": [commit_of(series, at) for at in range(len(times))],
            "kernel": [name_of(series)] * len(times),
        }
    )
    colour = style.COLOURS[number % len(style.COLOURS)]
    label = shorten(name_of(series), _NAME_WIDTH)
    plot.line("entry", "ratio", source=source, color=colour, line_width=2, legend_label=label)
    return plot.scatter("entry", "ratio", source=source, color=colour, size=5, legend_label=label)


def _mark(plot: Any, series: Series) -> Any:
    """Points up where it became slower, down where it became faster."""
    values = series.values
    worse = [change.judgement.word == REGRESSION for change in series.changes]
    source = ColumnDataSource(
        {
            "entry": [series.entries[change.at].number for change in series.changes],
            "ratio": [values[change.at] / values[0] for change in series.changes],
            "commit": [commit_of(series, change.at) for change in series.changes],
            "kernel": [name_of(series)] * len(worse),
            "verdict": [change.judgement.word for change in series.changes],
            "change": [interval_of(change) for change in series.changes],
            "marker": ["triangle" if is_worse else "inverted_triangle" for is_worse in worse],
            "colour": [style.COLOURS[5] if is_worse else style.COLOURS[2] for is_worse in worse],
        }
    )
    return plot.scatter(
        "entry",
        "ratio",
        source=source,
        marker="marker",
        color="colour",
        size=15,
        name="change",
    )
