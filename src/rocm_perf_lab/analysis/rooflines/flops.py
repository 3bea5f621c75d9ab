"""Floating-point operations of a launch, by unit and precision, from hardware counters.

The vector counters count instructions of whole waves, so 64 lanes are assumed: lanes that EXEC
switches off are counted, and a packed instruction (two operations per lane) counts once. The
matrix counters count 512 operations per unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.arch.target import counts_by_type

Pipe = tuple[str, str]  # (unit, precision), as arch/ names its rates

LANES = 64  # the targets with typed counters run wave64
OPS_PER_MOPS = 512  # unit of SQ_INSTS_VALU_MFMA_MOPS_*
TYPED = "typed counters"
ESTIMATE = "estimate: every vector instruction taken as one FP32 operation per lane"

_VECTOR_TYPES = {"F16": "fp16", "F32": "fp32", "F64": "fp64"}
_OPERATIONS = {"ADD": 1, "MUL": 1, "TRANS": 1, "FMA": 2}
_MATRIX_TYPES = {"F16": "fp16", "BF16": "bf16", "F32": "fp32", "F64": "fp64"}
_MATRIX_INTEGER = "I8"
# Counters that only newer targets have. A pass that asks another target for them records nothing.
_MORE_MATRIX_TYPES = {"gfx942": {"F8": "fp8"}, "gfx950": {"F8": "fp8", "F6F4": "fp6"}}
_ALL_MATRIX = "SQ_INSTS_MFMA"
_ALL_VECTOR = "SQ_INSTS_VALU"  # matrix instructions included


@dataclass(frozen=True)
class FlopCount:
    """Operations per launch. A pipe whose counters are missing is in ``unknown``, never 0."""

    by_pipe: Mapping[Pipe, float] = field(default_factory=dict)
    unknown: tuple[Pipe, ...] = ()
    missing: tuple[str, ...] = ()  # counters that would make them known
    method: str = TYPED

    @property
    def known(self) -> float:
        return sum(self.by_pipe.values())

    @property
    def total(self) -> Optional[float]:
        """None when a part is unknown: the known part alone would look like the whole."""
        return None if self.unknown or not self.by_pipe else self.known

    @property
    def is_estimate(self) -> bool:
        return self.method == ESTIMATE


def flop_counters(target: str) -> tuple[tuple[str, ...], ...]:
    """What to collect, in groups that belong into one pass."""
    if not counts_by_type(target):
        return ((_ALL_VECTOR,),)
    vector = tuple(_vector_names(kind) for kind in _VECTOR_TYPES)
    return (*vector, tuple(_mops(kind) for kind in _matrix_types(target)))


def count_flops(counters: Mapping[str, float], target: str, lanes: int = LANES) -> FlopCount:
    """From the typed counters; from the estimate where none of them was recorded."""
    if not counts_by_type(target):
        return estimate_flops(counters, lanes)
    count = _count_typed(counters, target)
    if count.by_pipe:
        return count
    estimate = estimate_flops(counters, lanes)
    return estimate if estimate.by_pipe else count


def _count_typed(counters: Mapping[str, float], target: str) -> FlopCount:
    by_pipe: dict[Pipe, float] = {}
    unknown: list[Pipe] = []
    missing: list[str] = []
    for kind, precision in _VECTOR_TYPES.items():
        weights = dict(zip(_vector_names(kind), _OPERATIONS.values()))
        absent = [name for name in weights if name not in counters]
        if absent:
            unknown.append(("vector", precision))
            missing += absent
        else:
            total = sum(weight * counters[name] for name, weight in weights.items())
            by_pipe["vector", precision] = LANES * total
    no_others = _typed_matrix_is_all(counters, target)
    for kind, precision in _matrix_types(target).items():
        mops = counters.get(_mops(kind))
        if mops is not None:
            by_pipe["matrix", precision] = OPS_PER_MOPS * mops
        elif no_others:
            by_pipe["matrix", precision] = 0.0
        else:
            unknown.append(("matrix", precision))
            missing.append(_mops(kind))
    return FlopCount(by_pipe, tuple(unknown), tuple(missing))


def estimate_flops(counters: Mapping[str, float], lanes: int = LANES) -> FlopCount:
    """SQ_INSTS_VALU times lanes. Integer and move instructions are in it, FMA counts once."""
    instructions = counters.get(_ALL_VECTOR)
    if instructions is None:
        return FlopCount({}, (("vector", "fp32"),), (_ALL_VECTOR,), ESTIMATE)
    matrix = counters.get(_ALL_MATRIX) or 0.0
    return FlopCount({("vector", "fp32"): lanes * (instructions - matrix)}, (), (), ESTIMATE)


def integer_matrix_ops(counters: Mapping[str, float]) -> Optional[float]:
    """INT8 matrix operations: work of the matrix unit that is no FLOP."""
    mops = counters.get(_mops(_MATRIX_INTEGER))
    return None if mops is None else OPS_PER_MOPS * mops


def _typed_matrix_is_all(counters: Mapping[str, float], target: str) -> bool:
    """Whether the types with known operations are all matrix instructions that ran.

    Then a type whose counter was not collected did not occur.
    """
    instructions = counters.get(_ALL_MATRIX)
    if instructions is None:
        return False
    known = 0.0
    for kind in (*_matrix_types(target), _MATRIX_INTEGER):
        if counters.get(_mops(kind)) is not None:
            known += counters.get(f"SQ_INSTS_VALU_MFMA_{kind}") or 0.0
    return known >= instructions


def _matrix_types(target: str) -> dict[str, str]:
    return {**_MATRIX_TYPES, **_MORE_MATRIX_TYPES.get(target, {})}


def _vector_names(kind: str) -> tuple[str, ...]:
    return tuple(f"SQ_INSTS_VALU_{operation}_{kind}" for operation in _OPERATIONS)


def _mops(kind: str) -> str:
    return f"SQ_INSTS_VALU_MFMA_MOPS_{kind}"
