"""The GPUs of a prefix, with the properties that recordings of them hold.

A process that does nothing but start the HIP runtime leaves a recording of its agents.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm.counters.values import Device
from rocm_perf_lab.vrocm.recording.records import Record, integer, read_folder

_LIBRARY = "libamdhip64.so.7"
_START_HIP = """\
import ctypes, sys
ctypes.CDLL(sys.argv[1]).hipGetDeviceCount(ctypes.byref(ctypes.c_int()))
"""
_SECONDS = 60


@dataclass(frozen=True)
class GpuAgent:
    """``facts`` are the members of rocprofiler's agent record by their names."""

    index: int
    facts: Mapping[str, object]

    @property
    def name(self) -> str:
        return str(self.facts.get("name", "unknown"))

    @property
    def device(self) -> Device:
        return Device(self.facts)


def gpu_agents(root: Optional[Path]) -> list[GpuAgent]:
    """Raises ``ToolMissing`` when the runtime of the prefix cannot be used."""
    library = str(root / "lib" / _LIBRARY) if root else _LIBRARY
    with tempfile.TemporaryDirectory(prefix="rocprofv3-avail-") as folder:
        asked = subprocess.run(
            [sys.executable, "-IS", "-c", _START_HIP, library],
            env={**os.environ, "VROCM_TRACE": folder},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        processes = read_folder(Path(folder))
    if asked.returncode != 0 or not processes:
        last_line = asked.stderr.strip().rpartition("\n")[2]
        raise ToolMissing(
            f"the HIP runtime {library} cannot be used: {last_line or 'it records nothing'}",
            "build it again: rocm-perf vrocm path",
        )
    agents = processes[0].all("agent")
    return sorted(
        (_gpu(position, record) for position, record in enumerate(agents) if _is_gpu(record)),
        key=lambda gpu: gpu.index,
    )


def _is_gpu(record: Record) -> bool:
    return record.get("type") == "GPU"


def _gpu(position: int, record: Record) -> GpuAgent:
    properties, index = record.get("properties"), integer(record, "type_index")
    names = ("name", "vendor_name", "product_name", "model_name")
    return GpuAgent(
        index,
        {
            **(properties if isinstance(properties, dict) else {}),
            **{name: record[name] for name in names if name in record},
            "node_id": integer(record, "id"),
            "logical_node_id": position,
            "logical_node_type_id": index,
        },
    )
