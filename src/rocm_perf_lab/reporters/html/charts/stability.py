"""How much times vary: whole runs, and the launches of each kernel."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource, FixedTicker, Range1d

from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel, StabilityModel
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.html.charts import style
from rocm_perf_lab.reporters.kernel_names import short_names

MOST_KERNELS = 12
_NAME_WIDTH, _NARROW = 34, 20  # characters


def runs_chart(stability: StabilityModel, is_virtual: bool) -> Any:
    what = "kernel time" if stability.quantity == "kernel_time" else "wall time"
    plot = style.new_figure(
        f"{what.capitalize()} of each run",
        is_virtual,
        220,
        tools="save",
        x_axis_label="run",
        y_axis_label="ms",
    )
    runs = list(range(1, len(stability.samples_ms) + 1))
    source = ColumnDataSource({"run": runs, "ms": stability.samples_ms})
    drawn = plot.scatter("run", "ms", source=source, size=9, color=style.COLOURS[0])
    mean = plot.line([0.5, len(runs) + 0.5], [stability.mean_ms] * 2, line_dash="dashed")
    mean.glyph.line_color, mean.glyph.tags = style.INK, [style.FOLLOWS_INK]
    plot.y_range.start = 0
    plot.y_range.end = max(stability.samples_ms) * 1.15 or 1.0
    plot.xaxis.ticker.desired_num_ticks = min(len(runs), 10)
    style.whole_numbers(plot.xaxis)
    style.hover(plot, [("run", "@run"), ("ms", "@ms{0.0000}")], [drawn])
    return plot


def launches_chart(rows: list[KernelRowModel], is_virtual: bool) -> Any:
    """From the shortest to the longest launch, with the median."""
    shown = [row for row in rows if row.min_ns > 0][:MOST_KERNELS]
    places = list(range(len(shown)))
    plot = style.new_figure(
        "Launches: shortest, median, longest",
        is_virtual,
        90 + 26 * len(shown),
        tools="save",
        x_axis_type="log",
        x_axis_label="us",
        y_range=Range1d(start=len(shown) - 0.5, end=-0.5),
    )
    least, most = min(row.min_ns for row in shown), max(row.max_ns for row in shown)
    style.few_decades(plot, least / 1e3, most / 1e3, "x")
    names = [row.name for row in shown]
    plot.yaxis.ticker = FixedTicker(ticks=places)
    plot.yaxis.major_label_overrides = dict(enumerate(short_names(names, _NAME_WIDTH)))
    plot.yaxis.tags = short_names(names, _NARROW)  # the page takes these in a narrow window
    plot.ygrid.visible = False
    source = ColumnDataSource(
        {
            "place": places,
            "kernel": names,
            "least": [row.min_ns / 1e3 for row in shown],
            "median": [row.median_ns / 1e3 for row in shown],
            "most": [row.max_ns / 1e3 for row in shown],
            "count": [row.dispatches for row in shown],
            "cv": [tt.percent(row.cv) for row in shown],
        }
    )
    plot.segment("least", "place", "most", "place", source=source, line_width=4, color=style.GREY)
    drawn = plot.scatter("median", "place", source=source, size=9, color=style.COLOURS[0])
    rows_shown = [
        ("kernel", "@kernel"),
        ("launches", "@count"),
        ("shortest, us", "@least{0.000}"),
        ("median, us", "@median{0.000}"),
        ("longest, us", "@most{0.000}"),
        ("CV (standard deviation / mean)", "@cv"),
    ]
    style.hover(plot, rows_shown, [drawn])
    return plot
