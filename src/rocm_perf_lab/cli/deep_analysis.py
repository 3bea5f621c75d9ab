"""The options ``--deep-analysis`` and ``--full`` of ``rocm-perf profile``."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from rocm_perf_lab import __version__
from rocm_perf_lab.errors import PerfLabError, UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.analysis_document import Missing
    from rocm_perf_lab.analysis.analysis_schema import AnalysisDocument
    from rocm_perf_lab.analysis.deep_analysis import Code
    from rocm_perf_lab.analysis.profile_schema import ProfileDocument
    from rocm_perf_lab.collect.kernel_code import CodeObjects
    from rocm_perf_lab.collect.options import CollectOptions, Progress
    from rocm_perf_lab.collect.prefix import Prefix
    from rocm_perf_lab.trace.model import Trace
    from rocm_perf_lab.trace.thread_trace_files import TraceFiles
    from rocm_perf_lab.trace.thread_trace_model import ThreadTrace

    Traces = dict[str, Union[ThreadTrace, Missing]]

MOST_DISASSEMBLED = 20  # kernels, those with the most time; a second or less each
_TRACE_IT = "rocm-perf profile --deep-analysis --kernel REGEX -- ./app"


def add_deep_analysis_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("deep analysis")
    group.add_argument(
        "--deep-analysis",
        action="store_true",
        help="thread trace of the dominant kernel (one or two more runs) and the code of all "
        "kernels: instruction mix, stalls, waits, hot lines, registers, spills",
    )
    group.add_argument(
        "--full",
        action=_Everything,
        nargs=0,
        help="--roofline, --critical-path and --deep-analysis",
    )


class _Everything(argparse.Action):
    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        _values: object,
        _option: Optional[str] = None,
    ) -> None:
        namespace.roofline = namespace.critical_path = namespace.deep_analysis = True


@dataclass(frozen=True)
class LiveRun:
    """What it takes to run the application once more."""

    prefix: Prefix
    application: Sequence[str]
    options: CollectOptions
    space: Path
    progress: Progress


def live_analysis(profile: ProfileDocument, trace: Trace, live: LiveRun) -> ProfileDocument:
    """``trace`` is the run that the profile shows."""
    from rocm_perf_lab.collect.kernel_code import find_code_objects

    traces = _trace_dominant(profile, trace, live)
    kept = sorted(live.space.glob("thread_trace_*"))
    objects = find_code_objects(kept, _uris([trace]), _program(live.application))
    return _with_findings(profile, traces, _code(profile, objects, live.prefix), ())


def recorded_analysis(
    arguments: argparse.Namespace,
    profile: ProfileDocument,
    traces: Sequence[Trace],
    files: TraceFiles,
) -> ProfileDocument:
    """With the thread traces and code objects that lie beside the recordings."""
    from rocm_perf_lab.analysis.trace_matching import match_traces
    from rocm_perf_lab.collect.kernel_code import find_code_objects

    read, troubles = _read(files)
    matched = match_traces({row.name: row.symbol for row in profile.kernels}, read)
    why = _why_none(files, troubles)
    by_kernel: Traces = {row.name: matched.by_kernel.get(row.name, why) for row in profile.kernels}
    notes = [f"another thread trace is not shown: {trace.source}" for trace in matched.others]
    objects = find_code_objects(_folders(files), _uris(traces))
    code = _code(profile, objects, _prefix(arguments.rocm))
    return _with_findings(profile, by_kernel, code, notes)


def show_traces_alone(arguments: argparse.Namespace, files: TraceFiles) -> int:
    """Thread traces without a recording of a run hold no times, so there is no profile."""
    from rocm_perf_lab.reporters.analysis_text import render_traces_alone
    from rocm_perf_lab.reporters.json_document import to_json, write_document

    if not arguments.deep_analysis:
        raise UsageError(
            f"{files.traces[0]} is a thread trace, not a recording of a run", "add --deep-analysis"
        )
    if arguments.quiet:
        raise UsageError("--quiet prints a time, and thread traces hold none", "leave it out")
    document = _traces_alone(arguments, files)
    if arguments.out:
        write_document(arguments.out / "analysis.json", to_json(document))
    sys.stdout.write(to_json(document) if arguments.json else render_traces_alone(document))
    return 0


def _traces_alone(arguments: argparse.Namespace, files: TraceFiles) -> AnalysisDocument:
    from rocm_perf_lab.analysis.analysis_document import traces_document
    from rocm_perf_lab.analysis.deep_analysis import kernel_findings
    from rocm_perf_lab.analysis.kernel_verdicts import with_trace_verdicts
    from rocm_perf_lab.collect.kernel_code import disassemble_kernels, find_code_objects

    read, troubles = _read(files)
    by_source = {trace.source: trace for trace in read}
    if not by_source:
        raise troubles[0]
    symbols = {
        name: trace.kernels[0] if trace.kernels else None for name, trace in by_source.items()
    }
    objects = find_code_objects(_folders(files))
    code = disassemble_kernels(_prefix(arguments.rocm), objects, symbols)
    found = kernel_findings(by_source, by_source, code)
    named = [(symbols[source] or source, findings) for source, findings in found.items()]
    notes = [error.cause for error in troubles]
    sources = [str(path) for path in files.traces]
    return with_trace_verdicts(traces_document(named, __version__, sources, notes))


def _trace_dominant(profile: ProfileDocument, trace: Trace, live: LiveRun) -> Traces:
    """If it cannot be traced, the profile stays and says why."""
    from rocm_perf_lab.analysis.analysis_document import Missing
    from rocm_perf_lab.analysis.deep_analysis import missing
    from rocm_perf_lab.analysis.typical_launch import typical_launch
    from rocm_perf_lab.collect.thread_trace import TracedKernel, collect_thread_trace

    others = Missing("only the dominant kernel is traced", _TRACE_IT)
    traces: Traces = {row.name: others for row in profile.kernels}
    row = next(row for row in profile.kernels if row.name == profile.kernel.name)
    kernel = TracedKernel(row.name, row.symbol, typical_launch(trace, row.name))
    try:
        traces[row.name] = collect_thread_trace(
            live.prefix, live.application, kernel, live.options, live.space, live.progress
        )
    except PerfLabError as error:
        traces[row.name] = missing(error)
    return traces


def _with_findings(
    profile: ProfileDocument, traces: Traces, code: Mapping[str, Code], notes: Sequence[str]
) -> ProfileDocument:
    from rocm_perf_lab.analysis.analysis_document import with_analysis
    from rocm_perf_lab.analysis.deep_analysis import kernel_findings

    found = kernel_findings([row.name for row in profile.kernels], traces, code)
    return with_analysis(profile, found, notes)


def _code(
    profile: ProfileDocument, objects: CodeObjects, prefix: Union[Prefix, PerfLabError]
) -> Mapping[str, Code]:
    from rocm_perf_lab.collect.kernel_code import disassemble_kernels

    symbols = {row.name: row.symbol for row in profile.kernels[:MOST_DISASSEMBLED]}
    target = profile.gpu.architecture if profile.gpu else None
    return disassemble_kernels(prefix, objects, symbols, target)


def _read(files: TraceFiles) -> tuple[list[ThreadTrace], list[PerfLabError]]:
    """The traces with an executed instruction, and what is wrong with the others."""
    from rocm_perf_lab.analysis.thread_trace import check_executed
    from rocm_perf_lab.trace.thread_trace import read_thread_trace

    read, troubles = [], []
    for path in files.traces:
        try:
            trace = read_thread_trace(path)
            check_executed(trace)
            read.append(trace)
        except PerfLabError as error:
            troubles.append(error)
    return read, troubles


def _why_none(files: TraceFiles, troubles: Sequence[PerfLabError]) -> Missing:
    from rocm_perf_lab.analysis.analysis_document import Missing
    from rocm_perf_lab.analysis.deep_analysis import missing
    from rocm_perf_lab.collect.thread_trace import HOW_TO_DECODE
    from rocm_perf_lab.trace.thread_trace_files import holds_undecoded

    if troubles:
        return missing(troubles[0])
    if not files.traces and holds_undecoded(files.recordings):
        return Missing("its thread trace was recorded, but never decoded", HOW_TO_DECODE)
    return Missing("no thread trace of this kernel is with the recording", _TRACE_IT)


def _prefix(rocm: Optional[Path]) -> Union[Prefix, PerfLabError]:
    from rocm_perf_lab.collect.prefix import find_prefix

    try:
        return find_prefix(rocm)
    except PerfLabError as error:
        return error


def _folders(files: TraceFiles) -> list[Path]:
    folders = [path.parent for path in files.traces]
    folders += [path for path in files.recordings if path.is_dir()]
    return list(dict.fromkeys(folders))


def _uris(traces: Sequence[Trace]) -> list[str]:
    """Code that was loaded from files; of what was in memory nothing is left."""
    uris = {code.uri: None for trace in traces for code in trace.code_objects if code.uri}
    return [uri for uri in uris if uri.startswith("file:")]


def _program(application: Sequence[str]) -> Optional[Path]:
    found = shutil.which(application[0])
    return Path(found) if found else None
