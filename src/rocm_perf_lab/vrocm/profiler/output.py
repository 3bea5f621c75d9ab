"""Writes the recordings of one run, each process in files of its own, as rocprofv3 names them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Callable

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.counter_info import CounterInfo
from rocm_perf_lab.trace.csv.writer import write_csv, write_table
from rocm_perf_lab.trace.files.beside import written_beside
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.rocpd.writer import write_rocpd
from rocm_perf_lab.trace.rocprof_json.writer import write_json
from rocm_perf_lab.vrocm.profiler.output_names import NamedProcess
from rocm_perf_lab.vrocm.profiler.session import Session
from rocm_perf_lab.vrocm.profiler.stats import (
    HEADER,
    KERNEL_DISPATCH,
    Domain,
    Statistics,
    domain_totals,
    domains_of,
    stats_rows,
    summary_table,
)
from rocm_perf_lab.vrocm.recording.trace import Selection

_STREAMS = ("stdout", "stderr")
_EVENTS = ("dispatches", "copies", "allocations", "api_calls", "markers")


def has_events(trace: Trace) -> bool:
    return any(len(getattr(trace, table)) for table in _EVENTS)


def check_writable(directory: Path) -> None:
    """Raises ``UsageError`` when nothing could be written there after the run."""
    existing = directory.absolute()
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write to {directory}", "name another folder with -d")


def write_process(trace: Trace, session: Session, named: NamedProcess) -> list[Path]:
    """All files of one process that has events. Raises ``OSError``."""
    stem = session.directory / named.expand(session.prefix)
    stem.parent.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name in session.formats:
        written += _FORMATS[name](trace, stem, session.selection)
    if session.stats and {"csv", "json"} & set(session.formats):
        written += _write_stats(_traced_domains(trace, session), stem)
    if session.config is not None:
        path = _with(stem, "_config.json")
        with written_beside(path) as beside:
            beside.write_text(json.dumps(session.config, indent=2) + "\n", encoding="utf-8")
        written.append(path)
    return written


def _with(stem: Path, ending: str) -> Path:
    return stem.with_name(stem.name + ending)


def _write_rocpd(trace: Trace, stem: Path, selection: Selection) -> list[Path]:
    path = _with(stem, "_results.db")
    write_rocpd(trace, path, counters=_counter_infos(selection))
    return [path]


def _write_json(trace: Trace, stem: Path, selection: Selection) -> list[Path]:
    path = _with(stem, "_results.json")
    infos = _counter_infos(selection)
    write_json(trace, path, kernel_trace=selection.traces_kernels, counters=infos)
    return [path]


def _write_csv(trace: Trace, stem: Path, selection: Selection) -> list[Path]:
    return write_csv(trace, stem.parent, stem.name, kernel_trace=selection.traces_kernels)


def _counter_infos(selection: Selection) -> list[CounterInfo]:
    """All counters of the device, when any were asked for."""
    if selection.counters is None:
        return []
    return [
        CounterInfo(
            counter.name,
            counter.description,
            counter.block.name if counter.block else "",
            counter.expression,
            counter.is_constant,
        )
        for counter in selection.counters.catalogue.counters.values()
    ]


def _traced_domains(trace: Trace, session: Session) -> list[Domain]:
    """Kernels that are only counted were not traced: their times are not those of a free run."""
    untraced = set() if session.selection.traces_kernels else {KERNEL_DISPATCH}
    return [domain for domain in domains_of(trace) if domain.name not in untraced]


_FORMATS: dict[str, Callable[[Trace, Path, Selection], list[Path]]] = {
    "rocpd": _write_rocpd,
    "json": _write_json,
    "csv": _write_csv,
}


def _write_stats(domains: Sequence[Domain], stem: Path) -> list[Path]:
    tables: list[tuple[str, Iterable[Statistics]]] = [(d.file, d.rows) for d in domains]
    tables.append(("domain", domain_totals(domains)))
    written = []
    for name, rows in tables:
        path = _with(stem, f"_{name}_stats.csv")
        write_table(path, HEADER, stats_rows(list(rows)))
        written.append(path)
    return written


def write_summaries(traces: Sequence[Trace], session: Session) -> None:
    """Print what ``--summary`` and its relatives ask for. Raises ``OSError``."""
    wanted = session.summaries
    if not wanted.wanted or not traces:
        return
    domains = _traced_domains(merge(list(traces), "summary"), session)
    tables = []
    if wanted.per_domain:
        tables += [(f"ROCPROFV3 {domain.name} SUMMARY", f"^{domain.name}$") for domain in domains]
    tables += [(f"ROCPROFV3 SUMMARY ({group})", group) for group in wanted.groups]
    if wanted.everything:
        tables.append(("ROCPROFV3 SUMMARY", ""))
    text = "\n".join(
        filter(None, (summary_table(title, domains, p, wanted.unit) for title, p in tables))
    )
    output = wanted.output or "stderr"
    if output in _STREAMS:
        print(text, file=getattr(sys, output))
    else:
        path = session.directory / output
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(path) as beside:
            beside.write_text(text + "\n", encoding="utf-8")
