"""The GPU and the command of a workload, from its ``sysinfo.csv``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from rocm_perf_lab.trace.csv.rows import read_rows

_STEPPING = re.compile(r"_[A-Z]?\d+$")  # "MI300X_A1"
_SERIES = re.compile(r"MI[23]00")  # names a family of boards; MI100 is a board

# Columns of sysinfo.csv -> names in rocprofiler's agent record.
_AGENT_FACTS = {
    "cu_per_gpu": "cu_count",
    "num_xcd": "num_xcc",
    "max_sclk": "max_engine_clk_fcompute",
    "simd_per_cu": "simd_per_cu",
    "wave_size": "wave_front_size",
    "gpu_chip_id": "device_id",
    "chip_id": "device_id",  # ROCm 6.4
}


@dataclass(frozen=True)
class System:
    """The GPU as ``sysinfo.csv`` describes it."""

    target: Optional[str] = None
    product: Optional[str] = None
    command: Optional[str] = None
    hostname: Optional[str] = None
    facts: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> System:
        row = next(read_rows(file, []), None) if file.is_file() else None
        if row is None:
            return cls()
        facts: dict[str, object] = {
            name: value
            for column, name in _AGENT_FACTS.items()
            if (value := row.optional_integer(column)) is not None
        }
        memory_clock = row.optional_integer("max_mclk")
        if memory_clock is not None:
            facts["mem_banks"] = [{"mem_clk_max": memory_clock}]
        return cls(
            row.text("gpu_arch", "gpu_soc"),
            _product(row.text("gpu_model", "name")),
            row.text("command"),
            row.text("hostname"),
            facts,
        )


def _product(model: Optional[str]) -> Optional[str]:
    name = _STEPPING.sub("", model or "")
    return None if not name or _SERIES.fullmatch(name) else name
