"""What is known of kernels beyond their times: their thread traces and their code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional, Union

from rocm_perf_lab.analysis.documents.analysis import Missing, with_analysis
from rocm_perf_lab.analysis.documents.deep_analysis import kernel_findings
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.collect.kernel_code import CodeObjects, disassemble_kernels
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace

Traces = dict[str, Union[ThreadTrace, Missing]]

MOST_DISASSEMBLED = 20  # kernels, those with the most time; a second or less each
HOW_TO_TRACE = "rocm-perf profile --deep-analysis --kernel REGEX -- ./app"


def with_findings(
    profile: ProfileDocument,
    traces: Traces,
    objects: Optional[CodeObjects],
    prefix: Union[Prefix, PerfLabError],
    notes: Sequence[str] = (),
) -> ProfileDocument:
    """``traces`` by the name of every kernel; ``prefix`` disassembles the code objects, if any."""
    symbols = {row.name: row.symbol for row in profile.kernels[:MOST_DISASSEMBLED]}
    target = profile.gpu.architecture if profile.gpu else None
    code = disassemble_kernels(prefix, objects, symbols, target) if objects else {}
    found = kernel_findings([row.name for row in profile.kernels], traces, code)
    return with_analysis(profile, found, notes)


def code_uris(traces: Sequence[Trace]) -> list[str]:
    """Code that was loaded from files; of what was in memory nothing is left."""
    uris = {code.uri: None for trace in traces for code in trace.code_objects if code.uri}
    return [uri for uri in uris if uri.startswith("file:")]


def prefix_if_any(rocm: Optional[Path]) -> Union[Prefix, PerfLabError]:
    """Recordings can be read without a ROCm; then there is no disassembly."""
    try:
        return find_prefix(rocm)
    except PerfLabError as error:
        return error
