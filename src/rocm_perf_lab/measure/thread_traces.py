"""Decoded thread traces that were named or are next to recordings, and those without any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.analysis.documents.analysis import Missing, traces_document
from rocm_perf_lab.analysis.documents.deep_analysis import kernel_findings, missing
from rocm_perf_lab.analysis.documents.schemas.analysis import AnalysisDocument
from rocm_perf_lab.analysis.documents.verdicts.models import with_trace_verdicts
from rocm_perf_lab.analysis.thread_traces.figures import check_executed
from rocm_perf_lab.collect.kernel_code import disassemble_kernels, find_code_objects
from rocm_perf_lab.collect.rocprof.thread_trace import HOW_TO_DECODE
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.measure.findings import HOW_TO_TRACE, prefix_if_any
from rocm_perf_lab.trace.thread_trace.files import TraceFiles, holds_undecoded
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace


def analyse_traces(files: TraceFiles, rocm: Optional[Path] = None) -> AnalysisDocument:
    """Thread traces without a recording of a run hold no times, so there is no profile."""
    read, troubles = read_traces(files)
    by_source = {trace.source: trace for trace in read}
    if not by_source:
        raise troubles[0]
    symbols: dict[str, Optional[str]] = {
        name: trace.kernels[0] if trace.kernels else None for name, trace in by_source.items()
    }
    objects = find_code_objects(trace_folders(files))
    code = disassemble_kernels(prefix_if_any(rocm), objects, symbols)
    found = kernel_findings(by_source, by_source, code)
    named = [(symbols[source] or source, findings) for source, findings in found.items()]
    notes = [error.cause for error in troubles]
    sources = [str(path) for path in files.traces]
    return with_trace_verdicts(traces_document(named, __version__, sources, notes))


def read_traces(files: TraceFiles) -> tuple[list[ThreadTrace], list[PerfLabError]]:
    """The traces with an executed instruction, and what is wrong with the others."""
    read, troubles = [], []
    for path in files.traces:
        try:
            trace = read_thread_trace(path)
            check_executed(trace)
            read.append(trace)
        except PerfLabError as error:
            troubles.append(error)
    return read, troubles


def why_none(files: TraceFiles, troubles: Sequence[PerfLabError]) -> Missing:
    """Why a kernel of a recording has no thread trace."""
    if troubles:
        return missing(troubles[0])
    if not files.traces and holds_undecoded(files.recordings):
        return Missing("its thread trace was recorded, but never decoded", HOW_TO_DECODE)
    return Missing("no thread trace of this kernel is with the recording", HOW_TO_TRACE)


def trace_folders(files: TraceFiles) -> list[Path]:
    """Where copies of the code objects may lie."""
    folders = [path.parent for path in files.traces]
    folders += [path for path in files.recordings if path.is_dir()]
    return list(dict.fromkeys(folders))
