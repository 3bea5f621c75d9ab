"""What the compiler made of a configuration: registers, LDS, spills, and the occupancy they allow.

Read from the code objects in what was built; nothing runs. A program may hold several kernels, of
which the one that needs most decides each number, and occupancy is that of the largest workgroup
that a kernel declares (``__launch_bounds__``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from rocm_perf_lab.analysis.kernels.occupancy import occupancy
from rocm_perf_lab.arch.target import load_target
from rocm_perf_lab.codeobject import KernelInfo, read_code_objects
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.tune.measurement import CodeFacts


def code_facts(
    program: Path, kernel: Optional[str] = None, launch_lds: int = 0
) -> Optional[CodeFacts]:
    """None where there is no GPU code that can be read: a script, another device's program.
    ``launch_lds``: bytes that a launch asks for, which the code does not tell."""
    try:
        found = list(_kernels(program, kernel, launch_lds))
        found = found or list(_kernels(program, None, launch_lds))
    except (PerfLabError, OSError):
        return None
    if not found:
        return None
    kernels = [one for one, _ in found]
    shares = [share for _, share in found if share is not None]
    return CodeFacts(
        max(one.total_vgpr for one in kernels),
        max(one.sgpr for one in kernels),
        max(one.lds_bytes for one in kernels) + launch_lds,
        max(one.scratch_bytes for one in kernels),
        max((one.vgpr_spills or 0) + (one.sgpr_spills or 0) for one in kernels),
        min(shares, default=None),
    )


def _kernels(
    program: Path, wanted: Optional[str], launch_lds: int
) -> Iterator[tuple[KernelInfo, Optional[float]]]:
    for code in read_code_objects(program):
        for kernel in code.kernels:
            if wanted is None or wanted in kernel.name:
                yield kernel, _occupancy(code.target, kernel, launch_lds)


def _occupancy(target: str, kernel: KernelInfo, launch_lds: int) -> Optional[float]:
    try:
        return occupancy(
            load_target(target),
            arch_vgpr=kernel.arch_vgpr,
            accum_vgpr=kernel.accum_vgpr,
            sgpr=kernel.sgpr,
            lds_bytes=kernel.lds_bytes + launch_lds,
            workgroup_size=kernel.max_workgroup_size,
            wave_size=kernel.wave_size,
            wgp_mode=kernel.wgp_mode,
        ).theoretical
    except PerfLabError:
        return None
