"""One kept profile: where it comes from, and the times in it."""

from __future__ import annotations

import hashlib
import shlex
import socket
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.profile import DeviceModel, ProfileDocument
from rocm_perf_lab.trace.model import names_virtual_device


@dataclass(frozen=True)
class Origin:
    """What a profile does not say itself."""

    commit: Optional[str] = None
    dirty: bool = False  # files of the checkout were changed
    flags: Optional[str] = None
    machine: Optional[str] = None  # a name for it; None: the host that keeps the profile


@dataclass(frozen=True)
class Entry:
    number: int  # in the order of keeping
    added: str  # UTC
    origin: Origin
    machine: str  # equal where times may be compared
    command: str
    quantity: str  # kernel_time or wall_time of a run
    samples_ms: tuple[float, ...]  # of its runs
    kernels: Mapping[str, float]  # median of the dispatches in ns, by name

    @property
    def median_ms(self) -> float:
        return statistics.median(self.samples_ms)

    @property
    def line(self) -> tuple[str, str, str]:
        """What entries of one line have in common: they may be compared."""
        return self.machine, self.command, self.quantity


def machine_of(profile: ProfileDocument, named: Optional[str]) -> str:
    """The device, and the machine where that matters. The name of the host is compared, never
    shown. Kernels of the virtual device take as long on any host."""
    device = profile.device
    text = "an unknown device" if device is None else _device(device)
    is_model_time = device is not None and device.kind == "virtual"
    if is_model_time and profile.stability.quantity == "kernel_time":
        return text
    host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
    return f"{text} of {named or f'machine {host}'}"


def _device(device: DeviceModel) -> str:
    facts = [device.gfx or "unknown target"]
    facts += [f"{device.compute_units} CUs"] if device.compute_units else []
    facts += [f"{device.max_clock_mhz} MHz"] if device.max_clock_mhz else []
    unsaid = device.kind == "virtual" and not names_virtual_device(device.product)
    facts += ["virtual"] if unsaid else []
    return f"{device.product or 'a GPU'} ({', '.join(facts)})"


def command_of(profile: ProfileDocument) -> str:
    return shlex.join(profile.command or profile.source or ["?"])


def kernels_of(profile: ProfileDocument) -> dict[str, float]:
    return {k.name: k.median_ns for k in profile.kernels if not k.runtime_internal}
