"""What a measurement was made on, in words that can be compared. No host names."""

from __future__ import annotations

import platform

from rocm_perf_lab.collect.doctor.machine import Machine
from rocm_perf_lab.measure.process_times import MachineIdentity


def machine_label(identity: MachineIdentity) -> str:
    """Everything of the device's fingerprint: a partition or another clock is another machine."""
    device = identity.device
    if device is None:
        return host_label()
    facts = [f"{device.target} {device.product or ''}".strip()]
    facts += [f"{device.cu_count} CUs"] if device.cu_count else []
    facts += [f"{device.xcc_count} XCDs"] if device.xcc_count else []
    facts += [f"{device.engine_clock_mhz} MHz"] if device.engine_clock_mhz else []
    return ", ".join([*facts, *(["virtual"] if identity.virtual else [])])


def host_label() -> str:
    """Where nothing is recorded, the processor is all that is known."""
    return f"{platform.machine()} {Machine().processor or 'processor'}"
