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
_MARGIN = 0.02  # of the time, on both sides
_NO_SLACK = "no later work depends on it"
_FIXED = {OTHERS: style.GREY, COPIES: "#7a5c58", WAITS: "#c9c9c9"}


def timeline_chart(timeline: Timeline, is_virtual: bool) -> Any:
    scale, unit = time_unit(timeline)
    lanes, rows = len(timeline.lanes), -(-(len(timeline.bars) + 1) // _COLUMNS)
    plot = style.new_figure(
        "One run by stream, with the critical path",
        is_virtual,
        min(max(_LANE * lanes, _LEAST), _MOST) + style.LEGEND_ROW * rows + _AROUND,
        tools=style.TOOLS,
        active_drag="xpan",
        active_scroll="xwheel_zoom",
        x_range=_range(timeline, scale),
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


def _range(timeline: Timeline, scale: float) -> Range1d:
    """The work of the GPU. Waits of the host before and after it may be a hundred times as long;
    zooming out shows them."""
    first, last = (ns / scale for ns in timeline.shown)
    around = _MARGIN * ((last - first) or 1.0)
    return Range1d(start=first - around, end=last + around)


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
    """Thick on what is on the path. Between two pieces it waits on the lane of the first and steps
    to the next one, below the bars: it covers no kernel that is not on it."""
    path = timeline.path
    begin, end, lane = path.begin / scale, path.end / scale, path.lane.astype(np.float32)
    steps = plot.line(
        np.column_stack([begin, end, np.append(begin[1:], end[-1:])]).ravel(),
        np.repeat(lane, 3),
        line_width=1.2,
        line_color=style.INK,
        line_alpha=0.7,
        legend_label="critical path",
        name="steps of the critical path",
        level="underlay",
    )
    pieces = plot.segment(
        begin,
        lane,
        end,
        lane,
        line_width=3,
        line_color=style.INK,
        legend_label="critical path",
        name="critical path",
    )
    for drawn in (steps, pieces):
        drawn.glyph.tags = [style.FOLLOWS_INK]


def time_unit(timeline: Timeline) -> tuple[float, str]:
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if timeline.span_ns >= 2 * scale:
            return scale, unit
    return 1.0, "ns"


def beginning(timeline: Timeline) -> str:
    """In words, where the chart does not begin with everything."""
    if timeline.shown == (0, timeline.span_ns):
        return ""
    scale, unit = time_unit(timeline)
    first, last = (ns / scale for ns in timeline.shown)
    return (
        f"Shown first: {first:.4g} to {last:.4g} {unit} of {timeline.span_ns / scale:.4g} {unit}, "
        "with nearly all work of the GPU. Zoom out for the rest."
    )
