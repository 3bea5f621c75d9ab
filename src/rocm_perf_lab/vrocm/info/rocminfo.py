"""The rocminfo of the virtual ROCm, from what its HSA runtime says."""

from __future__ import annotations

import argparse
import ctypes
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from rocm_perf_lab.vrocm.info.hsa import Hsa, open_runtime
from rocm_perf_lab.vrocm.info.printing import print_lines

_U16, _U32, _U64 = ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
_NAME, _PRODUCT_NAME, _NODE = 0, 0xA009, 0xA004
_LABEL_WIDTH = 25


@dataclass(frozen=True)
class _Line:
    """One attribute: its label, its number in hsa.h or hsa_ext_amd.h, its type, how it is shown."""

    label: str
    attribute: int
    kind: Any
    show: Callable[[Any], str] = str


def _number_and_hex(value: int) -> str:
    return f"{value}({value:#x})"


def _one_of(*names: str) -> Callable[[int], str]:
    return lambda value: names[value] if value < len(names) else str(value)


def _flag(value: int) -> str:
    return "TRUE" if value else "FALSE"


_SYSTEM = (
    _Line("Timestamp Freq.:", 3, _U64, lambda hertz: f"{hertz / 1e6:.6f}MHz"),
    _Line("Sig. Max Wait Duration:", 4, _U64, lambda v: f"{v} ({v:#X}) (timestamp count)"),
    _Line("Machine Model:", 6, _U32, _one_of("SMALL", "LARGE")),
    _Line("System Endianness:", 5, _U32, _one_of("LITTLE", "BIG")),
)
_AGENT = (
    _Line("Name:", _NAME, bytes),
    _Line("Uuid:", 0xA011, bytes),
    _Line("Marketing Name:", _PRODUCT_NAME, bytes),
    _Line("Vendor Name:", 1, bytes),
    _Line("Feature:", 2, _U32, lambda v: "KERNEL_DISPATCH" if v & 1 else "None specified"),
    _Line("Profile:", 4, _U32, _one_of("BASE_PROFILE", "FULL_PROFILE")),
    _Line("Float Round Mode:", 5, _U32, _one_of("DEFAULT", "ZERO", "NEAR")),
    _Line("Max Queue Number:", 12, _U32, _number_and_hex),
    _Line("Queue Min Size:", 13, _U32, _number_and_hex),
    _Line("Queue Max Size:", 14, _U32, _number_and_hex),
    _Line("Queue Type:", 15, _U32, _one_of("MULTI", "SINGLE")),
    _Line("Node:", _NODE, _U32),
    _Line("Device Type:", 17, _U32, _one_of("CPU", "GPU", "DSP")),
)
_SHAPE = (
    _Line("Chip ID:", 0xA000, _U32, _number_and_hex),
    _Line("ASIC Revision:", 0xA012, _U32, _number_and_hex),
    _Line("Cacheline Size:", 0xA001, _U32, _number_and_hex),
    _Line("Max Clock Freq. (MHz):", 0xA003, _U32),
    _Line("BDFID:", 0xA006, _U32),
    _Line("Compute Unit:", 0xA002, _U32),
    _Line("SIMDs per CU:", 0xA00B, _U32),
    _Line("Shader Engines:", 0xA00C, _U32),
    _Line("Shader Arrs. per Eng.:", 0xA00D, _U32),
)
_GPU_SHAPE = (
    _Line("Fast F16 Operation:", 24, ctypes.c_bool, _flag),
    _Line("Wavefront Size:", 6, _U32, _number_and_hex),
    _Line("Workgroup Max Size:", 8, _U32, _number_and_hex),
    _Line("Max Waves Per CU:", 0xA00A, _U32, _number_and_hex),
    _Line("Grid Max Size:", 10, _U32, _number_and_hex),
    _Line("Max fbarriers/Workgrp:", 11, _U32),
    _Line("Num XCC:", 0xA111, _U32),
)
_CACHES, _CACHE_LEVELS = 18, 4
_WORKGROUP_DIM, _GRID_DIM = 7, 9
_POOL_SEGMENT, _POOL_FLAGS, _POOL_BYTES, _POOL_ALLOWED = 0, 1, 2, 5
_POOL_GRANULE, _POOL_ALIGNMENT, _POOL_BY_ALL = 6, 7, 15
_SEGMENTS = ("GLOBAL", "READONLY", "PRIVATE", "GROUP")
_POOL_FLAG_NAMES = (
    (1, "KERNARG"),
    (2, "FINE GRAINED"),
    (4, "COARSE GRAINED"),
    (8, "EXTENDED FINE GRAINED"),
)


def report(hsa: Hsa) -> Iterator[str]:
    """The lines that rocminfo prints."""
    yield from _heading("HSA System Attributes", "=")
    version = f"{hsa.system(0, _U16)}.{hsa.system(1, _U16)}"
    yield _shown("Runtime Version:", version, 0)
    for line in _SYSTEM:
        yield _shown(line.label, line.show(hsa.system(line.attribute, line.kind)), 0)
    yield ""
    yield from _heading("HSA Agents", "=")
    for number, agent in enumerate(hsa.agents(), start=1):
        yield from _heading(f"Agent {number}", "*")
        yield from _agent_lines(hsa, agent)
    yield "*** Done ***"


def _agent_lines(hsa: Hsa, agent: int) -> Iterator[str]:
    yield from _lines(hsa, agent, _AGENT)
    yield from _cache_lines(hsa, agent)
    yield from _lines(hsa, agent, _SHAPE)
    if hsa.is_gpu(agent):
        yield from _lines(hsa, agent, _GPU_SHAPE)
        yield from _dimensions("Workgroup", hsa.agent(agent, _WORKGROUP_DIM, _U16 * 3))
        yield from _dimensions("Grid", hsa.agent(agent, _GRID_DIM, _U32 * 3))
    yield "  Pool Info:"
    for number, pool in enumerate(hsa.pools(agent), start=1):
        yield f"    Pool {number}"
        yield from _pool_lines(hsa, pool)
    yield "  ISA Info:"
    for number, name in enumerate(hsa.isa_names(agent), start=1):
        yield f"    ISA {number}"
        yield _shown("Name:", name, 6)


def _lines(hsa: Hsa, agent: int, lines: Sequence[_Line]) -> Iterator[str]:
    for line in lines:
        yield _shown(line.label, line.show(hsa.agent(agent, line.attribute, line.kind)), 2)


def _cache_lines(hsa: Hsa, agent: int) -> Iterator[str]:
    yield "  Cache Info:"
    sizes = hsa.agent(agent, _CACHES, _U32 * _CACHE_LEVELS)
    for level, size in enumerate(sizes, start=1):
        if size:
            yield _shown(f"L{level}:", f"{size // 1024}({size // 1024:#x}) KB", 4)


def _dimensions(what: str, sizes: Sequence[int]) -> Iterator[str]:
    yield f"  {what} Max Size per Dimension:"
    for axis, size in zip("xyz", sizes):
        yield _shown(axis, _number_and_hex(size), 4)


def _pool_lines(hsa: Hsa, pool: int) -> Iterator[str]:
    segment = _one_of(*_SEGMENTS)(hsa.pool(pool, _POOL_SEGMENT, _U32))
    flags = hsa.pool(pool, _POOL_FLAGS, _U32) if segment == "GLOBAL" else 0
    names = [name for bit, name in _POOL_FLAG_NAMES if flags & bit]
    kilobytes = hsa.pool(pool, _POOL_BYTES, _U64) // 1024
    granule = hsa.pool(pool, _POOL_GRANULE, _U64) // 1024
    alignment = hsa.pool(pool, _POOL_ALIGNMENT, _U64) // 1024
    yield _shown("Segment:", segment + (f"; FLAGS: {', '.join(names)}" if names else ""), 6)
    yield _shown("Size:", f"{kilobytes}({kilobytes:#x}) KB", 6)
    yield _shown("Allocatable:", _flag(hsa.pool(pool, _POOL_ALLOWED, ctypes.c_bool)), 6)
    yield _shown("Alloc Granule:", f"{granule}KB", 6)
    yield _shown("Alloc Alignment:", f"{alignment}KB", 6)
    yield _shown("Accessible by all:", _flag(hsa.pool(pool, _POOL_BY_ALL, ctypes.c_bool)), 6)


def _heading(title: str, rule: str) -> list[str]:
    line = rule * max(len(title), 7)
    return [line, title, line]


def _shown(label: str, value: str, indent: int) -> str:
    return f"{' ' * indent}{label.ljust(_LABEL_WIDTH - indent)}{value}".rstrip()


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="rocminfo", description=__doc__)
    parser.add_argument("--rocm-root", type=Path, metavar="PATH", help="the ROCm prefix")
    options = parser.parse_args(argv)
    return print_lines("rocminfo", lambda: report(open_runtime(options.rocm_root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
