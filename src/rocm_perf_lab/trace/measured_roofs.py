"""Measured ceilings of a device, and their file by rocprof-compute: ``roofline.csv``."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, TypeVar

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.csv.rows import CsvRow, read_rows
from rocm_perf_lab.trace.model import UNKNOWN, Agent

ROOF_FILE = "roofline.csv"
_GIGA = 1e9
_Key = TypeVar("_Key")

_BANDWIDTHS = {
    "HBMBw": "hbm",
    "MALLBw": "infinity_cache",
    "L2Bw": "l2",
    "L1Bw": "l1",
    "LDSBw": "lds",
}
_RATES = {
    "FP16Flops": ("vector", "fp16"),
    "FP32Flops": ("vector", "fp32"),
    "FP64Flops": ("vector", "fp64"),
    "MFMAF4Flops": ("matrix", "fp4"),
    "MFMAF6Flops": ("matrix", "fp6"),
    "MFMAF8Flops": ("matrix", "fp8"),
    "MFMAF16Flops": ("matrix", "fp16"),
    "MFMABF16Flops": ("matrix", "bf16"),
    "MFMAF32Flops": ("matrix", "fp32"),
    "MFMAF64Flops": ("matrix", "fp64"),
    "MFMAI8Ops": ("matrix", "int8"),
}


@dataclass(frozen=True)
class Fingerprint:
    """What has to be equal for a roof that one device reached to hold for another."""

    target: str
    product: Optional[str]
    cu_count: Optional[int]
    xcc_count: Optional[int]  # with the CUs: the partition
    engine_clock_mhz: Optional[int]


def fingerprint_of(agent: Agent) -> Fingerprint:
    def fact(name: str) -> Optional[int]:
        value = agent.facts.get(name)
        return value if isinstance(value, int) else None

    return Fingerprint(
        target=agent.name,
        product=agent.product,
        cu_count=fact("cu_count"),
        xcc_count=fact("num_xcc"),
        engine_clock_mhz=fact("max_engine_clk_fcompute"),
    )


@dataclass(frozen=True)
class MeasuredRoofs:
    """What one device reached. What was not measured is not in the maps."""

    device: int
    bandwidth: Mapping[str, float]  # level -> bytes/s
    rate: Mapping[tuple[str, str], float]  # (unit, precision) -> FLOP/s
    source: str
    made_on: Optional[Fingerprint] = None  # None: is next to the recording, so on its device


def read_measured_roofs(file: Path) -> tuple[MeasuredRoofs, ...]:
    """One entry per device, in the order of the file."""
    try:
        rows = list(read_rows(file, []))
    except (OSError, UnicodeError, csv.Error) as error:
        raise RecordingError(f"{file} cannot be read: {error}") from error
    return tuple(
        MeasuredRoofs(
            row.integer("device"), _positive(row, _BANDWIDTHS), _positive(row, _RATES), str(file)
        )
        for row in rows
        if row.integer("device") != UNKNOWN
    )


def _positive(row: CsvRow, columns: Mapping[str, _Key]) -> dict[_Key, float]:
    """In units, not giga-units; a 0 stands for a benchmark that the device could not run."""
    return {
        key: value * _GIGA for column, key in columns.items() if (value := row.real(column)) > 0
    }
