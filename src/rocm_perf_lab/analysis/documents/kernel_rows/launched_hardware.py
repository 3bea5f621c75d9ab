"""What kernels of a recording used of the hardware, each distinct combination looked at once.

A recording can have 100,000 kernels, and few combinations of registers, LDS and workgroup size.
"""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.documents.kernel_rows.kernel_resources import occupancy_of, resources_of
from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.unavailable import Reasons
from rocm_perf_lab.analysis.kernels.usual_launches import Launch
from rocm_perf_lab.trace.model import Kernel

_Used = tuple[Optional[schema.ResourcesModel], Optional[schema.OccupancyModel]]


class KernelHardware:
    """Remembers what it found; ``reasons`` gets why something is not known, if that matters."""

    def __init__(self, reasons: Reasons) -> None:
        self._reasons = reasons
        self._known: dict[tuple[object, ...], _Used] = {}

    def of(self, kernel: Kernel, launch: Launch, *, matters: bool) -> _Used:
        key = (
            matters, id(launch.agent), launch.block, launch.lds, launch.scratch,
            kernel.arch_vgpr, kernel.accum_vgpr, kernel.sgpr,
        )  # fmt: skip
        used = self._known.get(key)
        if used is None:
            reasons = self._reasons if matters else Reasons()
            resources = resources_of(kernel, launch, reasons)
            used = self._known[key] = (resources, occupancy_of(launch, resources, reasons))
        return used
