"""The page as a whole: the sections of everything that was gathered, put into the templates."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rocm_perf_lab.report.contents import Measured, Report
from rocm_perf_lab.report.occupancy import Sliders, sliders_of
from rocm_perf_lab.report.roofline import RooflinePicture, roofline_picture
from rocm_perf_lab.report.timeline import Timeline, timeline_of
from rocm_perf_lab.reporters.html.charts.embedded import Charts, bokeh_script
from rocm_perf_lab.reporters.html.charts.roofline import roofline_chart
from rocm_perf_lab.reporters.html.charts.stability import launches_chart, runs_chart
from rocm_perf_lab.reporters.html.charts.timeline import beginning, timeline_chart
from rocm_perf_lab.reporters.html.sections import kernel_table
from rocm_perf_lab.reporters.html.sections.answer import Answer, answer_of
from rocm_perf_lab.reporters.html.sections.kernel import KernelSection, kernel_sections
from rocm_perf_lab.reporters.html.sections.provenance import device_line, provenance_of
from rocm_perf_lab.reporters.html.views import (
    capture_views,
    history_views,
    search_views,
    tuning_views,
)

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class MeasuredView:
    """One application on the page; anchors begin with ``prefix``."""

    prefix: str
    title: str
    is_virtual: bool
    device: str
    answer: Answer
    timeline: Optional[Timeline]
    timeline_chart: Optional[str]
    timeline_begins: str
    roofline: Optional[RooflinePicture]
    roofline_chart: Optional[str]
    columns: tuple[tuple[str, str], ...]
    rows: tuple[kernel_table.Row, ...]
    kernel_count: int
    kernels: tuple[KernelSection, ...]
    sliders: Optional[Markup]
    runs_chart: Optional[str]
    launches_chart: Optional[str]
    stability: str
    provenance: tuple[tuple[str, str], ...]


def render_page(report: Report) -> str:
    charts = Charts()
    views = [
        _view(measured, "" if number == 0 else f"a{number + 1}-", charts)
        for number, measured in enumerate(report.measured)
    ]
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        report=report,
        views=views,
        searches=search_views(report, charts),
        tunings=tuning_views(report, charts),
        captures=capture_views(report),
        histories=history_views(report, charts),
        charts=charts,
        css=Markup((_TEMPLATES / "page.css").read_text("utf-8")),
        script=Markup((_TEMPLATES / "page.js").read_text("utf-8")),
        bokeh=Markup(bokeh_script()),
    )


def _view(measured: Measured, prefix: str, charts: Charts) -> MeasuredView:
    profile, virtual = measured.profile, measured.is_virtual
    timeline = timeline_of(measured.path) if measured.path else None
    picture = roofline_picture(profile)
    sliders = _sliders(measured)
    kernels = kernel_sections(measured, prefix, sliders)
    links = {kernel.name: kernel.anchor for kernel in kernels}
    return MeasuredView(
        prefix=prefix,
        title=measured.title,
        is_virtual=virtual,
        device=device_line(measured),
        answer=answer_of(measured),
        timeline=timeline,
        timeline_chart=None
        if timeline is None
        else charts.add(f"{prefix}timeline-chart", timeline_chart(timeline, virtual)),
        timeline_begins="" if timeline is None else beginning(timeline),
        roofline=picture,
        roofline_chart=None
        if picture is None
        else charts.add(f"{prefix}roofline-chart", roofline_chart(picture, virtual)),
        columns=kernel_table.COLUMNS,
        rows=kernel_table.kernel_rows(measured, links),
        kernel_count=len(profile.kernels),
        kernels=kernels,
        sliders=None if sliders is None else json_markup(asdict(sliders)),
        runs_chart=charts.add(f"{prefix}runs-chart", runs_chart(profile.stability, virtual))
        if len(profile.stability.samples_ms) > 1
        else None,
        launches_chart=charts.add(
            f"{prefix}launches-chart", launches_chart(profile.kernels, virtual)
        )
        if any(row.dispatches > 1 and row.min_ns > 0 for row in profile.kernels)
        else None,
        stability=_stability(measured),
        provenance=provenance_of(measured),
    )


def _sliders(measured: Measured) -> Optional[Sliders]:
    """Of the device; kernels that were compiled for another wave size have none."""
    gpu = measured.profile.gpu
    sizes = [row.occupancy.wave_size for row in measured.profile.kernels if row.occupancy]
    if gpu is None or not sizes:
        return None
    return sliders_of(gpu.architecture, max(set(sizes), key=sizes.count))


def _stability(measured: Measured) -> str:
    text = _of_runs(measured)
    if measured.profile.kernels and all(row.dispatches == 1 for row in measured.profile.kernels):
        return f"{text} Each kernel was launched once: how much its launches vary is not known."
    return text


def _of_runs(measured: Measured) -> str:
    stability = measured.profile.stability
    if stability.cv is None:
        return "One run only: how much runs vary is not known. Next: --runs 5"
    return (
        f"{stability.runs} runs, mean {stability.mean_ms:.4g} ms, CV (standard deviation / mean) "
        f"{stability.cv:.2%}: {stability.classification}."
    )


def json_markup(content: Any) -> Markup:
    """JSON for a script element or an attribute: no tag can begin or end in it."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for character in "<>&'":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
