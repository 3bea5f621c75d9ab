"""Judged changes: how much faster, with the interval that may be claimed."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource

from rocm_perf_lab.report.contents import Change, Search
from rocm_perf_lab.reporters.html.charts import style

_COLOURS = {"accept": style.COLOURS[2], "reject": style.COLOURS[5]}


def judged(search: Search) -> list[Change]:
    return [change for change in search.changes if change.decision is not None]


def history_chart(search: Search) -> Any:
    changes = judged(search)
    names = [change.name for change in changes]
    plot = style.new_figure(
        "Judged changes: time before / time after, with its interval",
        search.is_virtual,
        110 + 26 * len(names),
        tools="save",
        y_range=names[::-1],
        x_axis_label="times faster (1: no difference)",
    )
    verdicts = [change.decision.kernel for change in changes if change.decision]
    ends = [end for one in verdicts for end in (one.effect, one.low, one.high) if end is not None]
    plot.x_range.start = min(1.0, *ends) - 0.02
    plot.x_range.end = max(1.0, *ends) + 0.02
    line = plot.vspan(1.0, line_dash="dashed", line_color=style.INK)
    line.glyph.tags = [style.FOLLOWS_INK]
    source = ColumnDataSource(
        {
            "name": names,
            "proposal": [change.proposal for change in changes],
            "verdict": [change.verdict.replace("_", " ") for change in changes],
            "effect": [one.effect for one in verdicts],
            "low": [one.effect if one.low is None else one.low for one in verdicts],
            "high": [one.effect if one.high is None else one.high for one in verdicts],
            "blocks": [one.blocks for one in verdicts],
            "colour": [_COLOURS.get(change.verdict, style.GREY) for change in changes],
        }
    )
    plot.segment("low", "name", "high", "name", source=source, line_width=3, color="colour")
    drawn = plot.scatter("effect", "name", source=source, size=9, color="colour")
    rows = [
        ("change", "@proposal"),
        ("verdict", "@verdict"),
        ("times faster", "@effect{0.000}"),
        ("interval", "@low{0.000} to @high{0.000}"),
        ("blocks of processes", "@blocks"),
    ]
    style.hover(plot, rows, [drawn])
    return plot
