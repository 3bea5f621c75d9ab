"""What all charts have in common. Ink and grid are repainted by the page: it is light or dark."""

from __future__ import annotations

import math
from typing import Any

from bokeh.models import BasicTickFormatter, FixedTicker, HoverTool, Range1d
from bokeh.plotting import figure

INK, GRID = "#333333", "#dddddd"
FOLLOWS_INK = "ink"  # tag of glyphs that have the colour of the text
# Okabe and Ito's colours, which most colour-blind people distinguish, and a few between them.
COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#8c6bb1",
    "#a6761d",
    "#66a61e",
)
GREY = "#9a9a9a"
LEGEND_ROW = 23  # pixels
_SHORT = 4  # powers of ten
TOOLS = "xpan,xwheel_zoom,xbox_zoom,reset,save"


def titled(title: str, is_virtual: bool) -> str:
    """Also in the picture that a reader saves from the chart."""
    return f"{title} (virtual device)" if is_virtual else title


def new_figure(title: str, is_virtual: bool, height: int, **settings: Any) -> Any:
    """A figure; Bokeh types what it draws too loosely to be checked."""
    plot: Any = figure(
        title=titled(title, is_virtual),
        height=height,
        sizing_mode="stretch_width",
        background_fill_alpha=0.0,
        border_fill_alpha=0.0,
        outline_line_color=None,
        output_backend="canvas",
        **settings,
    )
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    for axis in plot.axis:
        axis.axis_label_text_font_style = "normal"
        axis.major_label_text_font_size = axis.axis_label_text_font_size = "12px"
    plot.title.text_font_size = "13px"
    return plot


def legend_below(plot: Any, columns: int) -> None:
    legend = plot.legend[0]
    plot.add_layout(legend, "below")
    legend.background_fill_alpha = 0.0
    legend.border_line_color = None
    legend.label_text_font_size = "12px"
    legend.click_policy = "hide"
    legend.ncols = columns
    legend.stylesheets = [".bk-grid { column-gap: 18px !important; }"]
    legend.margin = 6
    legend.location = "left"


def hover(plot: Any, rows: list[tuple[str, str]], renderers: list[Any]) -> None:
    """Rows, not markup: Bokeh writes values as text, so that no name becomes a tag."""
    plot.add_tools(HoverTool(tooltips=rows, renderers=renderers, name="hover"))


def whole_numbers(axis: Any) -> None:
    """Of runs and entries there are no halves."""
    axis.ticker.mantissas = [1, 2, 5]
    axis.ticker.min_interval = 1


def few_decades(plot: Any, low: float, high: float, axis: str) -> None:
    """Ticks at 1, 2 and 5 of each power of ten: Bokeh's own leave a short range without any.

    The range is set, too, so that what is near its ends has a tick beside it.
    """
    low, high = low / 1.15, high * 1.15
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(decades) <= _SHORT else (1,)
    ticks = [step * 10.0**power for power in decades for step in steps]
    scale = plot.xaxis if axis == "x" else plot.yaxis
    scale.ticker = FixedTicker(ticks=ticks)
    scale.formatter = BasicTickFormatter(use_scientific=len(decades) > 2 * _SHORT)
    setattr(plot, f"{axis}_range", Range1d(start=low, end=high))
