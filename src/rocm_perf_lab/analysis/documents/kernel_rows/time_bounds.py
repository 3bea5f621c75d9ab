"""Which lower bounds decided times of the virtual device, and what they mean.

The device simulates a sample of a dispatch. When that says less than what was executed in full
needs of the hardware, the bound is the time (native/vgpu/model/bounds).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel, TimeBoundModel
from rocm_perf_lab.trace.model import Trace

Bounds = dict[str, list[TimeBoundModel]]  # by the name of the kernel

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
    "waiting for others": "waves wait for what others store, one after the other",
    "host link": "the link to the host's memory passes no more bytes",
    "peer link": "the link to another device's memory passes no more bytes",
}


def time_bounds(trace: Trace) -> Bounds:
    """Of all dispatches of the kernels of a name, the bound with most time first."""
    bounds, rows = trace.bounds, trace.dispatches
    if not len(bounds):  # every recording but those of the virtual device
        return {}
    names = sorted({kernel.name for kernel in trace.kernels})
    number = {name: index for index, name in enumerate(names)}
    of_kernel = np.array([number[kernel.name] for kernel in trace.kernels], dtype=np.int64)
    pair = of_kernel[rows.kernel[bounds.dispatch]] * len(trace.strings) + bounds.name
    pairs, where = np.unique(pair, return_inverse=True)
    order = np.argsort(where, kind="stable")
    first = np.searchsorted(where[order], np.arange(len(pairs)))
    columns = zip(
        pairs.tolist(),
        np.diff(first, append=len(order)).tolist(),
        np.add.reduceat(rows.duration[bounds.dispatch][order], first).tolist(),
        np.add.reduceat(bounds.simulated[order], first).tolist(),
    )
    found: Bounds = {}
    for value, dispatches, total_ns, simulated_ns in columns:
        kernel, index = divmod(value, len(trace.strings))
        bound = _model(trace.strings[index], dispatches, total_ns, simulated_ns)
        found.setdefault(names[kernel], []).append(bound)
    for models in found.values():
        models.sort(key=lambda bound: (-bound.total_ns, bound.name))
    return found


def _model(name: str, dispatches: int, total_ns: int, simulated_ns: int) -> TimeBoundModel:
    return TimeBoundModel(
        name=name,
        meaning=MEANINGS.get(name),
        dispatches=dispatches,
        total_ns=total_ns,
        simulated_ns=simulated_ns,
    )


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
