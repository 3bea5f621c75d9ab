"""The roofline as a picture, .svg or .png, by Matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rocm_perf_lab.errors import NothingRecorded
from rocm_perf_lab.report.contents import Report
from rocm_perf_lab.report.roofline import LEVELS, RooflinePicture, roofline_picture
from rocm_perf_lab.reporters.kernel_names import short_names
from rocm_perf_lab.trace.files.beside import written_beside

_GIGA = 1e9
_MARKS = {"fabric": "o", "l2": "s", "l1": "^", "lds": "D"}
_NAMED = 8  # kernels in the legend
_HOW = "rocm-perf report -o roofline.svg -- ./app, or --from recordings with counters"
# The same input, the same bytes; text stays text in an SVG.
_STYLE: Any = {"svg.hashsalt": "rocm-perf", "svg.fonttype": "none", "font.size": 9}


def write_roofline(report: Report, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = [(one, roofline_picture(one.profile)) for one in report.measured]
    drawable = [(one.is_virtual, picture) for one, picture in found if picture is not None]
    if not drawable:
        raise NothingRecorded("there is no roofline: counters or ceilings are missing", _HOW)
    is_virtual, picture = drawable[0]
    with written_beside(path) as beside, pyplot.rc_context(_STYLE):
        figure, axes = pyplot.subplots(figsize=(9.5, 6.5), layout="constrained")
        _draw(axes, picture)
        virtual = " (virtual device)" if is_virtual else ""
        axes.set_title(_plain(f"Roofline of {picture.target}{virtual}"))
        kind = path.suffix.lower().lstrip(".")
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(beside, format=kind, dpi=110, metadata=metadata)
        pyplot.close(figure)


def _draw(axes: Any, picture: RooflinePicture) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(*picture.x_range)
    axes.set_ylim(*(value / _GIGA for value in picture.y_range))
    axes.set_xlabel("FLOP per byte that the level moves")
    axes.set_ylabel("GFLOP/s")
    axes.grid(True, which="major", color="#e3e6e9")
    for roof in picture.roofs:
        xs, ys = zip(*roof.line)
        style = "-" if roof.is_memory else "--"
        axes.plot(xs, [y / _GIGA for y in ys], style, color="#333333", linewidth=1.1)
        x, y = roof.line[0] if roof.is_memory else roof.line[1]
        axes.annotate(
            _plain(roof.text),
            (x, y / _GIGA),
            xytext=(12, 0) if roof.is_memory else (-4, 3),
            textcoords="offset points",
            ha="left" if roof.is_memory else "right",
            va="center" if roof.is_memory else "bottom",
            fontsize=8,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
        )
    _draw_points(axes, picture)


def _draw_points(axes: Any, picture: RooflinePicture) -> None:
    kernels = list(dict.fromkeys((point.number, point.kernel) for point in picture.points))
    names = short_names([kernel for _, kernel in kernels], 50)
    for (number, _), name in zip(kernels, names):
        label = _plain(name) if number < _NAMED else None
        for point in picture.points:
            if point.number == number:
                axes.scatter(
                    [point.intensity],
                    [point.flop_rate / _GIGA],
                    marker=_MARKS[point.level],
                    s=30 + 160 * point.share,
                    color=f"C{number % 10}",
                    alpha=0.75,
                    label=label,
                    zorder=3,
                )
                label = None
    for level in {point.level: None for point in picture.points}:
        axes.scatter([], [], marker=_MARKS[level], color="grey", label=LEVELS[level])
    if picture.points:
        axes.legend(loc="lower right", fontsize=8)


def _plain(text: str) -> str:
    """A dollar sign would begin a formula."""
    return text.replace("$", r"\$")
