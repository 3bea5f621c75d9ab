"""Everything of a report that is not an application, as the templates show it."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.report.contents import Report, Search
from rocm_perf_lab.reporters.html.charts.embedded import Charts
from rocm_perf_lab.reporters.html.charts.history import history_chart, judged
from rocm_perf_lab.reporters.html.charts.trend import trend_chart
from rocm_perf_lab.reporters.html.charts.tuning import tuning_chart
from rocm_perf_lab.reporters.html.sections.capture import CaptureView, capture_view
from rocm_perf_lab.reporters.html.sections.history import SearchView, search_view
from rocm_perf_lab.reporters.html.sections.trend import HistoryView, history_view
from rocm_perf_lab.reporters.html.sections.tuning import TuningView, tuning_view


def search_views(report: Report, charts: Charts) -> list[SearchView]:
    return [
        search_view(
            search, f"history-{number}", _history(search, f"history-chart-{number}", charts)
        )
        for number, search in enumerate(report.searches, 1)
    ]


def _history(search: Search, place: str, charts: Charts) -> Optional[str]:
    """One judged change is a sentence, which its own line says."""
    return charts.add(place, history_chart(search)) if len(judged(search)) > 1 else None


def tuning_views(report: Report, charts: Charts) -> list[TuningView]:
    return [
        tuning_view(
            tuning,
            f"tuning-{number}",
            charts.add(f"tuning-chart-{number}", tuning_chart(tuning))
            if sum(one.value is not None for one in tuning.measurements) > 1
            else None,
        )
        for number, tuning in enumerate(report.tunings, 1)
    ]


def capture_views(report: Report) -> list[CaptureView]:
    return [
        capture_view(capture, f"capture-{number}")
        for number, capture in enumerate(report.captures, 1)
    ]


def history_views(report: Report, charts: Charts) -> list[HistoryView]:
    return [
        history_view(
            history,
            f"trend-{number}",
            tuple(
                charts.add(f"trend-chart-{number}-{place}", trend_chart(line))
                if any(len(series.entries) > 1 for series in line.series)
                else None
                for place, line in enumerate(history.lines, 1)
            ),
        )
        for number, history in enumerate(report.histories, 1)
    ]
