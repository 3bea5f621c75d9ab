"""Which lower bounds decided times of the virtual device, and what they mean.

The device simulates a sample of a dispatch. When that says less than what was executed in full
needs of the hardware, the bound is the time (native/vgpu/model/bounds).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel, TimeBoundModel
from rocm_perf_lab.trace.model import Trace

# By the names in records.
MEANINGS = {
    "wave": "the longest wave executes its own instructions one after the other",
    "room": "the CUs have no more places for workgroups at a time",
    "launch": "waves are launched one after the other",
    "vector": "the vector ALUs issue no more instructions",
    "scalar": "the scalar ALUs issue no more instructions",
    "scalar memory": "the SIMDs issue no more scalar loads",
    "memory issue": "the SIMDs issue no more vector memory instructions",
    "branch": "the SIMDs issue no more branches",
    "matrix": "the matrix cores do no more",
    "LDS": "the paths to the LDS pass no more bytes",
    "vector cache": "the vector caches of the CUs pass no more bytes",
    "L2 writes": "the L2 caches take no more stored bytes",
    "Infinity Cache": "the Infinity Cache passes no more bytes",
    "HBM": "the HBM passes no more bytes",
    "atomics on a line": "atomics on one cache line follow each other",
}


def time_bounds_of(trace: Trace, kernel: str) -> list[TimeBoundModel]:
    """Of all dispatches of the kernels of this name, the bound with most time first."""
    bounds, rows = trace.bounds, trace.dispatches
    if not len(bounds):  # every recording but those of the virtual device
        return []
    found = []
    names = np.array([each.name == kernel for each in trace.kernels], dtype=bool)
    own = names[rows.kernel[bounds.dispatch]]
    for index in np.unique(bounds.name[own]).tolist():
        chosen = own & (bounds.name == index)
        name = trace.strings[index]
        found.append(
            TimeBoundModel(
                name=name,
                meaning=MEANINGS.get(name),
                dispatches=int(chosen.sum()),
                total_ns=int(rows.duration[bounds.dispatch[chosen]].sum()),
                simulated_ns=int(bounds.simulated[chosen].sum()),
            )
        )
    return sorted(found, key=lambda bound: (-bound.total_ns, bound.name))


def sentences(rows: Iterable[KernelRowModel]) -> list[str]:
    """One per kernel and bound."""
    return [
        f"the time of {bound.dispatches} of {row.dispatches} dispatches of {row.name} is the lower "
        f"bound '{bound.name}'{_because(bound)}: {bound.total_ns / 1e3:.6g} us, where the "
        f"simulation of a sample said {bound.simulated_ns / 1e3:.6g} us"
        for row in rows
        for bound in row.time_bounds
    ]


def _because(bound: TimeBoundModel) -> str:
    return f" ({bound.meaning})" if bound.meaning else ""
