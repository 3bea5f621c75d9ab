"""A report as a file; the ending of its name says what kind."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Callable

from rocm_perf_lab.errors import ToolMissing, UsageError
from rocm_perf_lab.report.contents import Report
from rocm_perf_lab.reporters.figures.explain_words import limiting
from rocm_perf_lab.reporters.figures.explain_words import result_line as answer
from rocm_perf_lab.reporters.json_document import to_json, write_document
from rocm_perf_lab.reporters.text_table import bytes_short

_NEEDS = {
    ".html": ("bokeh", "jinja2"),
    ".pftrace": ("perfetto",),
    ".svg": ("matplotlib",),
    ".png": ("matplotlib",),
}


def check_output(path: Path) -> None:
    """Before anything runs: a kind of file that we write, and what draws it is installed."""
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        known = ", ".join(_WRITERS)
        raise UsageError(f"no output ends in '{suffix}'", f"name a file that ends in {known}")
    for module in _NEEDS.get(suffix, ()):
        if importlib.util.find_spec(module) is None:
            raise ToolMissing(f"{suffix} needs {module}", 'pip install "rocm-perf-lab[report]"')


def write_report(report: Report, path: Path) -> None:
    """Readable as the umask says: a report is made to be shown."""
    _WRITERS[path.suffix.lower()](report, path)
    mask = os.umask(0o077)
    os.umask(mask)
    path.chmod(0o666 & ~mask)


def answer_of(report: Report, path: Path) -> str:
    size = bytes_short(path.stat().st_size)
    explanation = report.measured[0].explanation if report.measured else None
    if explanation is None:
        return f"{path} ({size})"
    said = answer(explanation, limiting(explanation)).removeprefix("Result: ")
    return f"{path} ({size}): {said}"


def _html(report: Report, path: Path) -> None:
    from rocm_perf_lab.reporters.html.page import render_page

    write_document(path, render_page(report))


def _json(report: Report, path: Path) -> None:
    from rocm_perf_lab.report.document import report_document

    write_document(path, to_json(report_document(report)))


def _csv(report: Report, path: Path) -> None:
    from rocm_perf_lab.reporters.exports.table import kernels_csv

    write_document(path, kernels_csv(report))


def _markdown(report: Report, path: Path) -> None:
    from rocm_perf_lab.reporters.exports.markdown import report_markdown

    write_document(path, report_markdown(report))


def _perfetto(report: Report, path: Path) -> None:
    from rocm_perf_lab.reporters.exports.perfetto import write_perfetto

    write_perfetto(report, path)


def _roofline(report: Report, path: Path) -> None:
    from rocm_perf_lab.reporters.exports.roofline_picture import write_roofline

    write_roofline(report, path)


_WRITERS: dict[str, Callable[[Report, Path], None]] = {
    ".html": _html,
    ".json": _json,
    ".csv": _csv,
    ".md": _markdown,
    ".pftrace": _perfetto,
    ".svg": _roofline,
    ".png": _roofline,
}
