"""A tuning: every measurement in its order, and the best so far."""

from __future__ import annotations

import itertools
from typing import Any

from bokeh.models import ColumnDataSource

from rocm_perf_lab.report.contents import Tuning
from rocm_perf_lab.reporters.html.charts import style


def tuning_chart(tuning: Tuning) -> Any:
    plot = style.new_figure(
        f"{tuning.objective} of {len(tuning.measurements)} configurations",
        tuning.is_virtual,
        340,
        tools=style.TOOLS,
        y_axis_type="log",
        x_axis_label="in the order of measurement",
        y_axis_label=f"{tuning.objective} ({tuning.unit})" if tuning.unit else tuning.objective,
    )
    numbered = [(number, one) for number, one in enumerate(tuning.measurements, 1)]
    good = [(number, one, one.value) for number, one in numbered if one.value is not None]
    source = ColumnDataSource(
        {
            "number": [number for number, _, _ in good],
            "value": [value for _, _, value in good],
            "what": [_text(one.configuration) for _, one, _ in good],
        }
    )
    drawn = plot.scatter(
        "number",
        "value",
        source=source,
        size=7,
        color=style.COLOURS[0],
        alpha=0.6,
        legend_label="measured",
    )
    values = [value for _, _, value in good]
    if tuning.default is not None and tuning.default.value is not None:
        values.append(tuning.default.value)
    if min(values) > 0:
        style.few_decades(plot, min(values), max(values), "y")
    style.whole_numbers(plot.xaxis)
    best = list(itertools.accumulate((value for _, _, value in good), min))
    plot.step(
        [number for number, _, _ in good],
        best,
        mode="after",
        line_width=2,
        color=style.COLOURS[5],
        legend_label="best so far",
    )
    if tuning.default is not None and tuning.default.value is not None:
        line = plot.hspan(
            tuning.default.value, line_dash="dashed", line_color=style.INK, legend_label="default"
        )
        line.glyph.tags = [style.FOLLOWS_INK]
    failed = [number for number, one in numbered if one.value is None]
    if failed and best:
        top = max(value for _, _, value in good)
        plot.scatter(
            failed, [top] * len(failed), marker="x", size=8, color="grey", legend_label="failed"
        )
    style.legend_below(plot, 3)
    style.hover(plot, [("value", "@value{0.00000}"), ("with", "@what")], [drawn])
    return plot


def _text(configuration: Any) -> str:
    return ", ".join(f"{name}={value}" for name, value in configuration.items())
