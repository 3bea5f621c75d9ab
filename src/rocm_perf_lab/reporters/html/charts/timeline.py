"""The timeline: bars by stream, the critical path as a line, slack on hover."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, Range1d

from rocm_perf_lab.analysis.path.slack import UNBOUNDED
from rocm_perf_lab.report.timeline import COPIES, OTHERS, WAITS, Bars, Timeline
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.html.charts import style
from rocm_perf_lab.reporters.kernel_names import short_names

_LANE, _LEAST, _MOST, _AROUND = 40, 110, 560, 90  # pixels
_COLUMNS = 3  # of the legend
_NO_SLACK = "no later work depends on it"
_FIXED = {OTHERS: style.GREY, COPIES: "#7a5c58", WAITS: "#c9c9c9"}


def timeline_chart(timeline: Timeline, is_virtual: bool) -> Any:
    scale, unit = _unit(timeline.span_ns)
    lanes, rows = len(timeline.lanes), -(-(len(timeline.bars) + 1) // _COLUMNS)
    plot = style.new_figure(
        "One run by stream, with the critical path",
        is_virtual,
        min(max(_LANE * lanes, _LEAST), _MOST) + style.LEGEND_ROW * rows + _AROUND,
        tools=style.TOOLS,
        active_drag="xpan",
        active_scroll="xwheel_zoom",
        y_range=Range1d(start=lanes - 0.4, end=-0.6),
        x_axis_label=f"time since the first GPU work ({unit})",
    )
    plot.yaxis.ticker = FixedTicker(ticks=list(range(lanes)))
    plot.yaxis.major_label_overrides = dict(enumerate(timeline.lanes))
    plot.ygrid.visible = False
    names = short_names([bars.label for bars in timeline.bars], 40)
    colours = iter(style.COLOURS)
    drawn = []
    for name, bars in zip(names, timeline.bars):
        colour = _FIXED.get(bars.label) or next(colours)
        drawn.append(
            plot.hbar(
                y="lane",
                left="begin",
                right="end",
                height=0.7,
                source=_source(bars, scale),
                fill_color=colour,
                line_color=colour,
                line_width=0.6,
                legend_label=name,
                name=name,
            )
        )
    _draw_path(plot, timeline, scale)
    style.legend_below(plot, _COLUMNS)
    tips = [
        ("what", "$name"),
        ("took", "@took"),
        ("slack", "@slack"),
        ("on the critical path", "@path"),
    ]
    if timeline.slice_ns is not None:
        tips.insert(1, ("launches together", "@count"))
    style.hover(plot, tips, drawn)
    return plot


def _source(bars: Bars, scale: float) -> ColumnDataSource:
    text = {ns: tt.duration(ns) for ns in np.unique(np.concatenate([bars.busy, bars.slack]))}
    text[UNBOUNDED] = _NO_SLACK
    columns = {
        "lane": bars.lane.astype(np.float32),
        "begin": bars.begin / scale,
        "end": bars.end / scale,
        "took": [text[ns] for ns in bars.busy.tolist()],
        "slack": [text[ns] for ns in bars.slack.tolist()],
        "path": ["yes" if one else "no" for one in bars.on_path.tolist()],
        "count": bars.count.astype(np.int32),
    }
    return ColumnDataSource(columns)


def _draw_path(plot: Any, timeline: Timeline, scale: float) -> None:
    path = timeline.path
    line = plot.line(
        np.column_stack([path.begin, path.end]).ravel() / scale,
        np.repeat(path.lane, 2).astype(np.float32),
        line_width=2,
        line_color=style.INK,
        legend_label="critical path",
        name="critical path",
    )
    line.glyph.tags = [style.FOLLOWS_INK]


def _unit(span_ns: int) -> tuple[float, str]:
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if span_ns >= 2 * scale:
            return scale, unit
    return 1.0, "ns"
