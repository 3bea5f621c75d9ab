"""What thread traces and code say about each kernel, or why they say nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Optional, Union

from rocm_perf_lab.analysis.documents.analysis import KernelFindings, Missing
from rocm_perf_lab.analysis.documents.schemas.static_code import StaticCodeModel
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.documents.static_code import static_block
from rocm_perf_lab.analysis.documents.thread_trace import thread_trace_block
from rocm_perf_lab.analysis.thread_traces.figures import analyse_thread_trace
from rocm_perf_lab.collect.kernel_code import KernelCode
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace

_NOT_LOOKED_FOR = Missing(
    "only the code of the kernels with the most time was looked for", "choose with --kernel REGEX"
)

Code = Union[KernelCode, PerfLabError]


def kernel_findings(
    kernels: Iterable[str],
    traces: Mapping[str, Union[ThreadTrace, Missing]],
    code: Mapping[str, Code],
) -> dict[str, KernelFindings]:
    """By kernel name; ``traces`` has every kernel, ``code`` those that were looked for."""
    found = {}
    for name in kernels:
        trace = traces[name]
        att = trace if isinstance(trace, Missing) else _att(trace)
        listed = None if isinstance(trace, Missing) else trace
        static = _static(code.get(name), listed)
        found[name] = KernelFindings(att, static, _why_no_spills(static, code.get(name)))
    return found


def _att(trace: ThreadTrace) -> Union[ThreadTraceModel, Missing]:
    try:
        return thread_trace_block(analyse_thread_trace(trace))
    except PerfLabError as error:
        return missing(error)


def missing(error: PerfLabError) -> Missing:
    return Missing(error.cause, error.next_step)


def _static(code: Optional[Code], trace: Optional[ThreadTrace]) -> Union[StaticCodeModel, Missing]:
    """The code object knows most; a thread trace lists the instructions, too."""
    if isinstance(code, KernelCode):
        return static_block(code.source, code.kernel, code.listing)
    # Addresses of several functions may overlap: then nobody knows where branches lead.
    if trace is not None and trace.code and len(trace.kernels) == 1:
        return static_block(trace.source, None, trace.code)
    return missing(code) if isinstance(code, PerfLabError) else _NOT_LOOKED_FOR


def _why_no_spills(
    static: Union[StaticCodeModel, Missing], code: Optional[Code]
) -> Optional[Missing]:
    """A listing alone does not say what the compiler spilled."""
    if isinstance(static, StaticCodeModel) and isinstance(code, PerfLabError):
        return missing(code)
    return None
