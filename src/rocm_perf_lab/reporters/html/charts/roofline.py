"""The hierarchical roofline: a roof per memory level and unit, a point per kernel and level."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from rocm_perf_lab.report.roofline import LEVELS, Point, Roof, RooflinePicture
from rocm_perf_lab.reporters.html.charts import style

_GIGA = 1e9
_MARKS = {"fabric": "circle", "l2": "square", "l1": "triangle", "lds": "diamond"}
_PLACES = 10  # on a slope, that are tried for its label
_LETTER, _ENOUGH = 0.01, 0.06  # of the chart: the width of a letter; room around a label


def roofline_chart(picture: RooflinePicture, is_virtual: bool) -> Any:
    plot = style.new_figure(
        f"Roofline of {picture.target}",
        is_virtual,
        470,
        tools="pan,wheel_zoom,box_zoom,reset,save",
        x_axis_type="log",
        y_axis_type="log",
        x_axis_label="FLOP per byte that the level moves",
        y_axis_label="GFLOP/s",
        x_range=picture.x_range,
        y_range=tuple(value / _GIGA for value in picture.y_range),
    )
    _draw_roofs(plot, picture)
    drawn = [
        _draw_level(plot, level, [p for p in picture.points if p.level == level])
        for level in LEVELS
        if any(p.level == level for p in picture.points)
    ]
    if not drawn:  # kernels without arithmetic have no place on it, the roofs still do
        return plot
    style.hover(
        plot,
        [
            ("kernel", "@kernel"),
            ("level", "@level_name"),
            ("FLOP/byte", "@x{0.00a}"),
            ("GFLOP/s", "@y{0,0.0}"),
            ("of the roof of that level", "@reached"),
            ("share of kernel time", "@share"),
            ("nearest roof", "@binding"),
        ],
        drawn,
    )
    style.legend_below(plot, len(drawn))
    return plot


def _draw_roofs(plot: Any, picture: RooflinePicture) -> None:
    taken = [_placed((one.intensity, one.flop_rate), picture) for one in picture.points]
    for roof in picture.roofs:
        line = plot.line(
            [x for x, _ in roof.line],
            [y / _GIGA for _, y in roof.line],
            line_color=style.INK,
            line_width=1.4,
            line_dash="solid" if roof.is_memory else "dashed",
        )
        line.glyph.tags = [style.FOLLOWS_INK]
        x, y = _label_place(roof, picture, taken) if roof.is_memory else roof.line[-1]
        label = plot.text(
            [x],
            [y / _GIGA],
            [roof.text],
            text_font_size="11px",
            text_color=style.INK,
            text_align="left" if roof.is_memory else "right",
            text_baseline="middle" if roof.is_memory else "bottom",
            x_offset=14 if roof.is_memory else -4,
            y_offset=0 if roof.is_memory else -3,
            background_fill_color="#ffffff",
            background_fill_alpha=0.8,
        )
        label.glyph.tags = [style.FOLLOWS_INK]


def _label_place(
    roof: Roof, picture: RooflinePicture, taken: list[tuple[float, float]]
) -> tuple[float, float]:
    """On the slope, beside the marks and the labels before, whose letters it adds to ``taken``."""
    (x, y), (end, _) = roof.line[0], roof.line[-1]
    places = [(x * factor, y * factor) for factor in (end / x) ** np.linspace(0, 0.9, _PLACES)]
    letters = [
        [(left + _LETTER * at, up) for at in range(len(roof.text) + 2)]
        for left, up in (_placed(place, picture) for place in places)
    ]
    best = max(range(_PLACES), key=lambda at: (_distance(letters[at], taken), -at))
    taken += letters[best]
    return places[best]


def _distance(letters: list[tuple[float, float]], taken: list[tuple[float, float]]) -> float:
    """To the nearest one, up to what is enough."""
    near = (math.hypot(x - u, y - v) for x, y in letters for u, v in taken)
    return min([_ENOUGH, *near])


def _placed(place: tuple[float, float], picture: RooflinePicture) -> tuple[float, float]:
    """As parts of the width and the height of the chart."""
    (left, right), (low, high) = picture.x_range, picture.y_range
    across, up = place
    return _part(across, left, right), _part(up, low, high)


def _part(value: float, low: float, high: float) -> float:
    return math.log(value / low) / math.log(high / low)


def _draw_level(plot: Any, level: str, points: list[Point]) -> Any:
    source = ColumnDataSource(
        {
            "x": [p.intensity for p in points],
            "y": [p.flop_rate / _GIGA for p in points],
            "kernel": [p.kernel for p in points],
            "level_name": [LEVELS[level]] * len(points),
            "reached": ["-" if p.reached is None else f"{p.reached:.1%}" for p in points],
            "share": [f"{p.share:.1%}" for p in points],
            "binding": [p.binding or "-" for p in points],
            "size": [8 + 18 * p.share**0.5 for p in points],
            "colour": [style.COLOURS[p.number % len(style.COLOURS)] for p in points],
        }
    )
    return plot.scatter(
        "x",
        "y",
        source=source,
        size="size",
        marker=_MARKS[level],
        fill_color="colour",
        line_color="colour",
        fill_alpha=0.65,
        legend_label=LEVELS[level],
        name=level,
    )
