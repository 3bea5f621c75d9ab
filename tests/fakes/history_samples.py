"""Profiles with times of our choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from fakes.reported_runs import measured_run
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.strict_json import replace

_PROFILE: list[ProfileDocument] = []


def profile_of(
    runs_ms: Sequence[float],
    kernels: Optional[Mapping[str, float]] = None,
    *,
    kind: str = "virtual",
    quantity: str = "kernel_time",
    command: Sequence[str] = ("./app", "1"),
) -> ProfileDocument:
    if not _PROFILE:
        _PROFILE.append(measured_run().profile)
    plain = _PROFILE[0]
    assert plain.device is not None
    row = plain.kernels[0]
    product = "AMD Instinct MI300X (virtual)" if kind == "virtual" else "AMD Instinct MI300X"
    return replace(
        plain,
        command=list(command),
        device=replace(plain.device, kind=kind, product=product),
        stability=replace(
            plain.stability, samples_ms=list(runs_ms), quantity=quantity, runs=len(runs_ms)
        ),
        kernels=[
            replace(row, name=name, median_ns=median)
            for name, median in (kernels or {"k": 1000.0}).items()
        ],
    )
