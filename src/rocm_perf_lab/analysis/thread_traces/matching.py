"""Which kernel of a profile a thread trace is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.trace.thread_trace.model import ThreadTrace

_NAME = re.compile(r"([A-Za-z_]\w*)(?:<.*)?$", re.DOTALL)


@dataclass(frozen=True)
class MatchedTraces:
    by_kernel: dict[str, ThreadTrace]
    others: tuple[ThreadTrace, ...]  # of kernels that the profile does not have, or seen again


def match_traces(
    symbols: Mapping[str, Optional[str]], traces: Sequence[ThreadTrace]
) -> MatchedTraces:
    """``symbols`` by kernel name, None where the recording has none. Of several traces of one
    kernel the first counts."""
    by_kernel: dict[str, ThreadTrace] = {}
    others = []
    for trace in traces:
        name = _kernel_of(trace, symbols)
        if name is None or name in by_kernel:
            others.append(trace)
        else:
            by_kernel[name] = trace
    return MatchedTraces(by_kernel, tuple(others))


def _kernel_of(trace: ThreadTrace, symbols: Mapping[str, Optional[str]]) -> Optional[str]:
    """By symbol; where the recording has none, by the name inside the trace's symbol if that is
    the name of one kernel only."""
    for name, symbol in symbols.items():
        if symbol is not None and symbol.removesuffix(".kd") in trace.kernels:
            return name
    alike = [
        name
        for name, symbol in symbols.items()
        if symbol is None and any(_names(label, name) for label in trace.kernels)
    ]
    return alike[0] if len(alike) == 1 else None


def _names(symbol: str, name: str) -> bool:
    """Whether ``symbol`` is the mangled form of a function called like the demangled ``name``:
    mangling keeps an identifier, with its length in front."""
    match = _NAME.search(name.partition("(")[0])
    return symbol == name or (match is not None and f"{len(match[1])}{match[1]}" in symbol)
