"""A report as Markdown, for the description of a pull request."""

from __future__ import annotations

from rocm_perf_lab.history.document import trend_document
from rocm_perf_lab.report.contents import History, Measured, Report, Search, Tuning
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.compare_markdown import code, escaped
from rocm_perf_lab.reporters.decisions.history import change_text
from rocm_perf_lab.reporters.figures import explain_words as words
from rocm_perf_lab.reporters.kernel_names import shorten

_MOST_KERNELS = 10
_NAME_WIDTH = 60


def report_markdown(report: Report) -> str:
    parts = [*map(_measured, report.measured), *map(_search, report.searches)]
    parts += map(_tuning, report.tunings)
    parts += map(_history, report.histories)
    parts += [
        f"### Captured {code(one.dispatch.demangled_name)}{_virtual(one.is_virtual)}\n\n"
        f"Run it again: {code(f'rocm-perf replay {one.folder}')}"
        for one in report.captures
    ]
    return "\n\n".join(parts) + f"\n\nMade by rocm-perf {escaped(report.tool_version)}\n"


def _virtual(is_virtual: bool) -> str:
    return " (virtual device)" if is_virtual else ""


def _measured(measured: Measured) -> str:
    document = measured.explanation
    if document is None:
        time = tt.duration(measured.profile.runtime_ms * 1e6)
        return f"### {code(measured.title)}: {time} per run"
    kernel = words.limiting(document)
    lines = [
        f"### {escaped(words.result_line(document, kernel).removeprefix('Result: '))}",
        "",
        f"{code(measured.title)}{_virtual(measured.is_virtual)}",
        "",
        *(escaped(line) for line in words.limit_lines(document, kernel, document.kernel)),
        escaped(words.why_of(kernel).verdict),
        *(escaped(line) for line in words.gain_lines(document, kernel)),
        "",
    ]
    for number, tip in enumerate(words.tips(document), 1):
        lines.append(f"{number}. {escaped(tip.what)} ({escaped(tip.because)})")
    return "\n".join([*lines, "", *_table(measured)])


def _table(measured: Measured) -> list[str]:
    explanation = measured.explanation
    ranked = {k.kernel: k for k in explanation.kernels} if explanation else {}
    rows = sorted(measured.profile.kernels, key=lambda row: -row.total_ns)
    lines = [
        "| kernel | launches | total | mean | share | bottleneck | occupancy |",
        "|---|--:|--:|--:|--:|---|--:|",
    ]
    for row in rows[:_MOST_KERNELS]:
        known = ranked.get(row.name)
        label = known.bottleneck.primary if known and known.bottleneck else tt.ABSENT
        full = tt.percent(row.occupancy.theoretical if row.occupancy else None)
        lines.append(
            f"| {code(shorten(row.name, _NAME_WIDTH))} | {row.dispatches} | "
            f"{tt.duration(row.total_ns)} | {tt.duration(row.mean_ns)} | {tt.percent(row.share)} | "
            f"{escaped(label)} | {full} |"
        )
    hidden = len(rows) - _MOST_KERNELS
    return lines if hidden <= 0 else [*lines, "", f"{hidden} more kernels."]


def _search(search: Search) -> str:
    lines = [
        f"### Changes{_virtual(search.is_virtual)}",
        "",
        "| change | verdict | speed | output | reason |",
        "|---|---|--:|---|---|",
    ]
    for change in search.changes:
        decision = change.decision
        speed = tt.ABSENT if decision is None else f"{decision.kernel.effect:.3f}x"
        output = tt.ABSENT if decision is None else decision.oracle.verdict
        lines.append(
            f"| {escaped(change.proposal)} | {escaped(change.verdict)} | {speed} | "
            f"{escaped(output)} | {escaped(change.reason)} |"
        )
    return "\n".join(lines)


def _tuning(tuning: Tuning) -> str:
    best = tuning.best
    if best is None:
        return f"### Tuning: none of {len(tuning.measurements)} configurations worked"
    values = ", ".join(f"{name}={value}" for name, value in best.configuration.items())
    return (
        f"### Tuning: {escaped(tuning.objective)} {best.value:.6g}{_virtual(tuning.is_virtual)}\n\n"
        f"{code(values)}, the best of {len(tuning.measurements)} measured configurations"
    )


def _history(history: History) -> str:
    lines = [f"### {history.entries} profiles over time{_virtual(history.is_virtual)}", ""]
    for line in trend_document(history.lines).lines:
        heading = f"{code(line.command)} on {escaped(line.machine)}"
        changes = [(s.kernel, c) for s in line.series for c in s.changes]
        lines.append(f"{heading}: {len(changes) or 'no'} change{'' if len(changes) == 1 else 's'}")
        for kernel, change in changes:
            name = "all of it" if kernel is None else code(shorten(kernel, _NAME_WIDTH))
            lines.append(f"- {name}: {escaped(change_text(change))}")
        lines.append("")
    return "\n".join(lines).rstrip()
