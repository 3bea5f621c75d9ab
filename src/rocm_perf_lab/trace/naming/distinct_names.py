"""Different kernels of one process get different names.

rocprofv3 can truncate names (``--truncate-kernels``) or rename kernels after a range; what is left
is then the name of several kernels. Their symbols tell them apart, else their registers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Optional

from msgspec.structs import replace

from rocm_perf_lab.trace.model import Kernel, Trace


def with_distinct_names(trace: Trace) -> Trace:
    if len({(kernel.process, kernel.name) for kernel in trace.kernels}) == len(trace.kernels):
        return trace
    known: dict[tuple[int, str], tuple[str, str]] = {}
    ambiguous = set()
    for kernel in trace.kernels:
        key = (kernel.process, kernel.name)
        if known.setdefault(key, _identity(kernel)) != _identity(kernel):
            ambiguous.add(key)
    if not ambiguous:
        return trace
    symbols: dict[tuple[int, str], set[str]] = defaultdict(set)
    for kernel in trace.kernels:
        if (kernel.process, kernel.name) in ambiguous:
            symbols[kernel.process, kernel.name].add(kernel.symbol or "")
    kernels = tuple(
        _told_apart(kernel, symbols.get((kernel.process, kernel.name))) for kernel in trace.kernels
    )
    return replace(trace, kernels=kernels)


def _identity(kernel: Kernel) -> tuple[str, str]:
    """A symbol is a kernel, whatever its registers on other GPUs of the process."""
    return (kernel.symbol, "") if kernel.symbol else ("", _registers(kernel))


def _registers(kernel: Kernel) -> str:
    known = {"VGPR": kernel.arch_vgpr, "accum": kernel.accum_vgpr, "SGPR": kernel.sgpr}
    return ", ".join(f"{name} {count}" for name, count in known.items() if count is not None)


def _told_apart(kernel: Kernel, symbols: Optional[set[str]]) -> Kernel:
    if symbols is None:
        return kernel
    by_symbol = kernel.symbol and len(symbols) > 1
    mark = kernel.symbol.removesuffix(".kd") if by_symbol and kernel.symbol else _registers(kernel)
    return replace(kernel, name=f"{kernel.name} [{mark}]") if mark else kernel
