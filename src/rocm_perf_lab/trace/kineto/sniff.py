"""Tells a PyTorch trace from other JSON without reading it all."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.trace.files.packed import read_head

# Kineto writes its metadata first or last; some collectors put kilobytes of their own before it.
_FARTHEST = 1 << 22
_EVENTS = b'"traceEvents"'
_SIGNS = (
    b'"deviceProperties"',
    b'"distributedInfo"',
    b'"torch_profiler',
    b'"External id"',
    b'"cpu_op"',
    b'"cuda_runtime"',
    b'"python_function"',
    b'"PyTorch Profiler',
    b'"trace_id"',
)


def is_kineto(file: Path, head: bytes) -> bool:
    """``head`` is the beginning of the file, to avoid reading more of most files."""
    if _EVENTS not in head or not _signed(head):
        head = read_head(file, _FARTHEST)
    return _EVENTS in head and _signed(head)


def _signed(head: bytes) -> bool:
    return any(sign in head for sign in _SIGNS)
