"""The times of one process of an application: those of its kernels, and its end-to-end time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.documents.roofline import main_agent
from rocm_perf_lab.analysis.path.run_path import span_of
from rocm_perf_lab.analysis.path.timed import timed_trace
from rocm_perf_lab.trace.measured_roofs import Fingerprint, fingerprint_of
from rocm_perf_lab.trace.model import Trace

Times = tuple[int, ...]  # ns, in the order in which the dispatches started


@dataclass(frozen=True)
class MachineIdentity:
    """What has to be equal for times to be comparable. The host's name is compared, never shown."""

    device: Optional[Fingerprint]
    host: Optional[str]
    virtual: bool


@dataclass(frozen=True)
class ProcessTimes:
    """Device times of one process. What other processes of the same run did is part of it."""

    kernels: Mapping[str, Times]  # by demangled name
    critical_path_ns: Optional[int]  # first start to last end of GPU work, waits included
    machine: MachineIdentity

    @property
    def kernel_sum_ns(self) -> int:
        return sum(sum(times) for times in self.kernels.values())


def process_times(trace: Trace) -> ProcessTimes:
    """Dispatches of counter passes are left out: those are serialised and slow."""
    timed = timed_trace(trace)
    return ProcessTimes(_kernels(timed), span_of(timed), machine_of(timed))


def machine_of(trace: Trace) -> MachineIdentity:
    agent = main_agent(trace)
    hosts = {process.hostname for process in trace.processes if process.hostname}
    return MachineIdentity(
        device=None if agent is None else fingerprint_of(agent),
        host=hosts.pop() if len(hosts) == 1 else None,
        virtual=trace.is_virtual,
    )


def _kernels(trace: Trace) -> dict[str, Times]:
    rows = trace.dispatches
    order = np.lexsort((rows.dispatch_id, rows.start))
    found: dict[str, list[int]] = {}
    for kernel, duration in zip(rows.kernel[order].tolist(), rows.duration[order].tolist()):
        found.setdefault(trace.kernels[kernel].name, []).append(duration)
    return {name: tuple(times) for name, times in found.items()}
