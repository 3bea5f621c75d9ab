"""Bytes that a launch moved at each level of the memory hierarchy, from request counters.

Requests have sizes, and which sizes exist differs between targets. On recordings of a copy of
8 MiB on gfx90a and gfx942 these formulas give what the copy moves, except for the L1 level, whose
accesses of 64 bytes come out at twice the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Callable, Final, Literal, Optional

from rocm_perf_lab.analysis.kernels.launch_groups import counter

Level = Literal["fabric", "l2", "l1", "lds"]
FABRIC: Final = "fabric"
L2: Final = "l2"
L1: Final = "l1"
LDS: Final = "lds"
LEVELS: Final[tuple[Level, ...]] = (FABRIC, L2, L1, LDS)  # from far to near

_LDS_BYTES_PER_CYCLE = 128  # 32 banks of 4 bytes

Values = Mapping[str, float]  # by the short names of a formula


@dataclass(frozen=True)
class Formula:
    """How one level's bytes follow from counters. ``write`` is None where a level has only one."""

    counters: Mapping[str, str]  # short name -> counter
    read: Callable[[Values], float]
    write: Optional[Callable[[Values], float]] = None


@dataclass(frozen=True)
class Traffic:
    """Bytes per launch at one level; both directions together where they are not distinguished."""

    level: Level
    total: Optional[float]
    read: Optional[float] = None
    written: Optional[float] = None
    missing: tuple[str, ...] = ()  # counters that would make it known


def _reads_32_64(v: Values) -> float:
    return 32 * v["r32"] + 64 * _rest(v["r"], v["r32"])


def _reads_32_64_128(v: Values) -> float:
    return 128 * v["r128"] + 32 * v["r32"] + 64 * _rest(v["r"], v["r128"], v["r32"])


def _reads_by_size(v: Values) -> float:
    return sum(int(size[1:]) * requests for size, requests in v.items() if size[0] == "r")


def _writes_32_64(v: Values) -> float:
    return 64 * v["w64"] + 32 * _rest(v["w"], v["w64"])


def _rest(all_requests: float, *of_other_sizes: float) -> float:
    """Requests of the default size. Counters of two passes may make it slightly negative."""
    return max(0.0, all_requests - sum(of_other_sizes))


def _fabric(prefix: str, bubble: bool) -> Formula:
    names = {
        "r": f"{prefix}_RDREQ",
        "r32": f"{prefix}_RDREQ_32B",
        **({"r128": "TCC_BUBBLE"} if bubble else {}),
        "w": f"{prefix}_WRREQ",
        "w64": f"{prefix}_WRREQ_64B",
    }
    return Formula(names, _reads_32_64_128 if bubble else _reads_32_64, _writes_32_64)


def _rdna_fabric(sizes: tuple[int, ...], writes: str) -> Formula:
    names = {f"r{size}": f"GL2C_EA_RDREQ_{size}B" for size in sizes}
    return Formula(
        {**names, "w": writes, "w64": "GL2C_EA_WRREQ_64B"}, _reads_by_size, _writes_32_64
    )


def _l2(read_bytes: int) -> Formula:
    return Formula(
        {
            "r": "TCP_TCC_READ_REQ",
            "w": "TCP_TCC_WRITE_REQ",
            "a": "TCP_TCC_ATOMIC_WITH_RET_REQ",
            "b": "TCP_TCC_ATOMIC_WITHOUT_RET_REQ",
        },
        lambda v: read_bytes * v["r"],
        lambda v: 64 * (v["w"] + v["a"] + v["b"]),
    )


_L1 = Formula({"n": "TCP_TOTAL_CACHE_ACCESSES"}, lambda v: 64 * v["n"])
_LDS = Formula(
    {"active": "SQ_LDS_IDX_ACTIVE", "conflict": "SQ_LDS_BANK_CONFLICT"},
    lambda v: _LDS_BYTES_PER_CYCLE * _rest(v["active"], v["conflict"]),
)
_CDNA3 = {FABRIC: _fabric("TCC_EA0", bubble=True), L2: _l2(128), L1: _L1, LDS: _LDS}
# The cache line of 128 bytes came with gfx942; before it a request was one of 64.
_CDNA2 = {FABRIC: _fabric("TCC_EA", bubble=False), L2: _l2(64), L1: _L1, LDS: _LDS}
_FORMULAS: dict[str, dict[str, Formula]] = {
    "gfx908": _CDNA2,  # the same requests, on recordings of the same copy
    "gfx90a": _CDNA2,
    "gfx942": _CDNA3,
    "gfx950": _CDNA3,
}
_BY_FAMILY = {  # gfx1250 is none of them
    "gfx10": {FABRIC: _rdna_fabric((32, 64, 96, 128), "GL2C_MC_WRREQ")},
    "gfx11": {FABRIC: _rdna_fabric((32, 64, 96, 128), "GL2C_MC_WRREQ")},
    "gfx120": {FABRIC: _rdna_fabric((32, 64, 128), "GL2C_EA_WRREQ")},
}
_DERIVED = ("FETCH_SIZE", "WRITE_SIZE")  # KiB, the profiler's own sums of the fabric requests
_KIB = 1024


def formulas_of(target: str) -> Mapping[str, Formula]:
    """The levels that the counters of a target tell; empty for an unknown target."""
    family = (formulas for name, formulas in _BY_FAMILY.items() if target.startswith(name))
    return _FORMULAS.get(target) or next(family, {})


def traffic_counters(target: str) -> tuple[tuple[str, ...], ...]:
    """What to collect, in groups that belong into one pass: reads, writes, then other levels."""
    groups: list[tuple[str, ...]] = []
    for formula in formulas_of(target).values():
        directions: dict[bool, list[str]] = {}
        for short, name in formula.counters.items():
            directions.setdefault(short[0] == "w", []).append(name)
        groups += [tuple(names) for names in directions.values()]
    return tuple(groups)


def memory_traffic(counters: Mapping[str, float], target: str) -> tuple[Traffic, ...]:
    """One entry per level of the target, from far to near."""
    formulas = formulas_of(target)
    return tuple(
        _traffic(level, formulas[level], counters) for level in LEVELS if level in formulas
    )


def _traffic(level: Level, formula: Formula, counters: Mapping[str, float]) -> Traffic:
    found = {short: counter(counters, name) for short, name in formula.counters.items()}
    missing = tuple(formula.counters[short] for short, value in found.items() if value is None)
    if missing:
        derived = _derived_fabric(counters) if level == FABRIC else None
        return derived or Traffic(level, None, missing=missing)
    values = {short: value for short, value in found.items() if value is not None}
    read = formula.read(values)
    if formula.write is None:
        return Traffic(level, read)
    written = formula.write(values)
    return Traffic(level, read + written, read, written)


def _derived_fabric(counters: Mapping[str, float]) -> Optional[Traffic]:
    read, written = (counters.get(name) for name in _DERIVED)
    if read is None and written is None:
        return None
    return Traffic(
        FABRIC,
        None if read is None or written is None else (read + written) * _KIB,
        None if read is None else read * _KIB,
        None if written is None else written * _KIB,
        tuple(name for name in _DERIVED if name not in counters),
    )
