"""The profile document of made-up runs: every number in its field, every reason beside it."""

from __future__ import annotations

from typing import Any, Optional

import pytest
from msgspec.structs import replace

from fakes.trace_samples import BASE
from rocm_perf_lab.analysis.documents.profile import (
    Origin,
    RunInput,
    build_profile,
    build_timing_only,
)
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.errors import NothingRecorded, UsageError
from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import Agent, Kernel, Process, Trace

MI300X = Agent(0, 4, "GPU", "gfx942", "AMD Instinct MI300X", 0, {"cu_count": 304, "num_xcc": 8})
FUTURE = Agent(0, 4, "GPU", "gfx9999", None, 0, {"cu_count": "77", "num_xcc": 3})
ORIGIN = Origin("recorded", "1", source=["made up"])
GEMM = Kernel(0, 7, "gemm", "gemm.kd", 1, 128, 64, 112, 4096, 0, 40)
TOOLS = "record with rocprofv3 of ROCm 6.3 or later"


def trace(
    kernel: Kernel = GEMM,
    *,
    agent: Optional[Agent] = MI300X,
    times: tuple[int, ...] = (700,),
    lds: int = 4096,
) -> Trace:
    builder = TraceBuilder(Process("guid", 1, None, None, "made up"))
    if agent:
        builder.add_agent(agent)
    index = builder.add_kernel(kernel)
    at = BASE
    for number, duration in enumerate(times):
        builder.add_dispatch(
            start=at,
            end=at + duration,
            kernel=index,
            agent_id=4 if agent else None,
            dispatch_id=number + 1,
            grid=(512, 1, 1),
            block=(256, 1, 1),
            lds=lds,
            scratch=0,
        )
        at += 10_000
    return builder.build()


def profile(*traces: Trace, **more: Any) -> ProfileDocument:
    return build_profile([RunInput(one) for one in traces or (trace(),)], ORIGIN, **more)


def reason_of(document: ProfileDocument, field: str) -> tuple[str, Optional[str]]:
    (found,) = [entry for entry in document.unavailable if entry.field == field]
    return found.reason, found.next


def test_the_device_is_that_of_the_hardware_facts() -> None:
    device = profile().device
    assert device is not None
    assert (device.kind, device.gfx, device.product) == ("recorded", "gfx942", MI300X.product)
    assert (device.compute_units, device.xcc_count, device.max_clock_mhz) == (304, 8, 2100)


def test_of_an_unknown_target_only_what_was_recorded_is_said() -> None:
    found = profile(trace(agent=FUTURE))
    assert found.device is not None
    assert found.gpu is not None
    assert (found.device.gfx, found.device.product) == ("gfx9999", None)
    assert (found.device.compute_units, found.device.xcc_count) == (77, 3)
    assert (found.device.max_clock_mhz, found.gpu.theoretical_peak_flops) == (None, None)
    assert found.resources is not None
    assert found.resources.vgpr_per_thread == 128 + 64  # no rule is known that would round it up
    reason, step = reason_of(found, "occupancy")
    assert "gfx9999" in reason
    assert step is not None
    assert step.startswith("report the target")


def test_without_an_agent_the_recording_has_to_be_another() -> None:
    found = profile(trace(agent=None))
    assert found.device is not None
    assert (found.device.gfx, found.device.compute_units, found.gpu) == (None, None, None)
    reason, step = reason_of(found, "occupancy")
    assert reason == "the recording does not say which GPU ran the kernel"
    assert step is not None
    assert "agent_info" in step


@pytest.mark.parametrize(
    ("registers", "waves"),
    [((32, 0, 16, 0), 8), ((128, 128, 16, 0), 2), ((0, 0, 16, 0), 8), ((32, 0, 16, 65536), 1)],
)
def test_occupancy_of_registers_and_lds(registers: tuple[int, ...], waves: int) -> None:
    arch, accum, sgpr, lds = registers
    kernel = replace(GEMM, arch_vgpr=arch, accum_vgpr=accum, sgpr=sgpr)
    occupancy = profile(trace(kernel, lds=lds)).occupancy
    assert occupancy is not None
    assert (occupancy.waves_per_simd, occupancy.wave_size) == (waves, 64)


def test_occupancy_needs_every_register() -> None:
    found = profile(trace(replace(GEMM, accum_vgpr=None)))
    assert found.occupancy is None
    assert reason_of(found, "occupancy") == (
        "it needs all registers, LDS and the workgroup size, which the recording lacks",
        TOOLS,
    )


def test_nothing_is_known_of_resources() -> None:
    kernel = replace(GEMM, arch_vgpr=None, accum_vgpr=None, sgpr=None)
    found = profile(trace(kernel, lds=-1))
    assert found.resources is None
    assert reason_of(found, "resources") == (
        "the recording holds no registers and no LDS size",
        TOOLS,
    )


def test_one_run_has_no_spread() -> None:
    alone = profile()
    assert reason_of(alone, "stability.cv") == (
        "one run has no spread",
        "use --runs 3, or give several runs",
    )
    several = profile(trace(), trace(times=(800,)), trace(times=(900,)))
    assert [e.field for e in several.unavailable if e.field.startswith("stability")] == []
    assert several.stability.samples_ms == [0.0007, 0.0008, 0.0009]
    assert several.timing.run == 1


def test_runs_of_different_kernels_are_worth_a_warning() -> None:
    other = trace(replace(GEMM, name="other"))
    warning = "the runs did not launch the same kernels: are they one application?"
    assert warning in profile(trace(), other).warnings
    assert warning not in profile(trace(), trace()).warnings


def test_a_kernel_can_be_chosen() -> None:
    assert profile(kernel_regex="^ge").kernel.name == "gemm"
    with pytest.raises(NothingRecorded) as caught:
        profile(kernel_regex="^mm")
    assert caught.value.next_step == "recorded kernels: gemm"
    with pytest.raises(UsageError, match=r"--kernel '\(' is not a regular expression"):
        profile(kernel_regex="(")


def test_nothing_was_launched() -> None:
    with pytest.raises(NothingRecorded, match=r"holds no kernel dispatch$") as caught:
        profile(trace(times=()))
    assert "--kernel-trace" in str(caught.value.next_step)
    silent = replace(trace(times=()), warnings=["2 dispatches end before they start"])
    with pytest.raises(NothingRecorded, match="that can be used: 2 dispatches end before"):
        profile(silent)


def test_wall_times_alone_have_a_reason_for_everything_else() -> None:
    found = build_timing_only([3_000_000, 9_000_000, 1_000_000], ORIGIN, "no profiler", "get one")
    assert (found.timing.wall_ms, found.timing.run) == (3.0, 0)
    assert found.stability.quantity == "wall_time"
    missing = {entry.field for entry in found.unavailable if entry.reason == "no profiler"}
    assert missing == {
        "kernel", "gpu", "device", "resources", "occupancy", "roofline", "kernels",
    }  # fmt: skip
