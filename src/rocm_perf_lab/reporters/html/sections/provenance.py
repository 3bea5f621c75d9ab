"""Where every number of the page comes from."""

from __future__ import annotations

from rocm_perf_lab.report.contents import Measured
from rocm_perf_lab.reporters import text_table as tt


def provenance_of(measured: Measured) -> tuple[tuple[str, str], ...]:
    profile = measured.profile
    pairs = [("rocm-perf", profile.tool_version)]
    if profile.command:
        pairs.append(("command", " ".join(profile.command)))
    if profile.source:
        pairs.append(("recordings", ", ".join(profile.source)))
    device = profile.device
    if device is not None:
        facts = [device.product or "GPU", device.gfx or "unknown target"]
        if device.compute_units is not None:
            facts.append(f"{device.compute_units} compute units")
        if device.max_clock_mhz is not None:
            facts.append(f"{device.max_clock_mhz} MHz")
        pairs += [("device", ", ".join(facts)), ("kind of device", device.kind)]
    stability = profile.stability
    pairs.append(("runs", f"{stability.runs}; shown is run {profile.timing.run + 1}"))
    timing = profile.timing
    for name, value in (
        ("sum of kernels", timing.kernel_sum_ms),
        ("GPU busy", timing.gpu_busy_ms),
        ("first start to last end", timing.span_ms),
        ("process", timing.wall_ms),
    ):
        pairs.append((name, tt.duration(None if value is None else value * 1e6)))
    pairs += [("warning", warning) for warning in profile.warnings]
    return tuple(pairs)


def device_line(measured: Measured) -> str:
    device = measured.profile.device
    if device is None:
        return "device not recorded"
    return f"{device.product or 'GPU'} ({device.gfx or 'unknown target'})"
