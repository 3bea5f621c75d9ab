"""The fingerprint of a measurement: what one must know to compare it. No names, no secrets."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.collect.doctor.machine import Machine, read_line
from rocm_perf_lab.collect.prefix import Prefix


@dataclass(frozen=True)
class Environment:
    """Host name, user, paths and environment variables are left out on purpose."""

    kernel: str  # "Linux 6.8.0-45-generic"
    machine: str  # "x86_64"
    cpu: Optional[str]
    cpu_count: Optional[int]
    python: str
    rocm_version: Optional[str]
    rocm_kind: Optional[str]  # "rocm", or "virtual" for a device that does not exist
    driver_version: Optional[str]
    container: Optional[str]


def fingerprint(prefix: Optional[Prefix], machine: Optional[Machine] = None) -> Environment:
    """Describe this machine and the ROCm installation in use."""
    machine = machine or Machine()
    return Environment(
        kernel=f"{platform.system()} {platform.release()}",
        machine=platform.machine(),
        cpu=machine.processor,
        cpu_count=os.cpu_count(),
        python=platform.python_version(),
        rocm_version=installed_version(prefix) if prefix else None,
        rocm_kind=prefix.kind if prefix else None,
        driver_version=machine.driver_version,
        container=machine.container,
    )


def installed_version(prefix: Prefix) -> Optional[str]:
    """The version that AMD's packages write to ``.info/version``: '7.0.2-56'."""
    return read_line(prefix.path / ".info" / "version")
