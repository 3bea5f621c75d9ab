"""Tells a PyTorch trace from other JSON without reading it all."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
# PyTorch writes it before the processes of a rank's groups, which are objects of their own.
_RANK = re.compile(rb'"distributedInfo"\s*:\s*\{[^{}]*"rank"\s*:\s*(\d+)')
_WORLD = re.compile(rb'"distributedInfo"\s*:\s*\{[^{}]*"world_size"\s*:\s*(\d+)')


def is_kineto(file: Path, head: bytes) -> bool:
    """``head`` is the beginning of the file, to avoid reading more of most files."""
    if _EVENTS not in head or not _signed(head):
        head = read_head(file, _FARTHEST)
    return _EVENTS in head and _signed(head)


def _signed(head: bytes) -> bool:
    return any(sign in head for sign in _SIGNS)


def are_of_ranks(files: Sequence[Path]) -> bool:
    """Whether these traces are of different ranks of one distributed application."""
    heads = [read_head(file, _FARTHEST) for file in files]
    ranks = [_RANK.search(head) for head in heads]
    worlds = {found.group(1) if (found := _WORLD.search(head)) else None for head in heads}
    known = {found.group(1) for found in ranks if found}
    return len(known) == len(files) and len(worlds) == 1 and None not in worlds
