"""The last line for people: it must fit, whatever the kernel is called and wherever it ran."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from rocm_perf_lab.analysis.documents.profile import Origin, RunInput, build_profile
from rocm_perf_lab.reporters.figures.profile import render_profile
from rocm_perf_lab.trace.model import Agent, Dispatches, Kernel, Trace


def one_dispatch(name: str, product: str, duration: int) -> Trace:
    def column(value: int, kind: type = np.int64) -> np.ndarray:
        return np.array([value], dtype=kind)

    return Trace(
        source="made up",
        agents=(Agent(0, 1, "GPU", "gfx942", product, 0, {"cu_count": 304, "num_xcc": 8}),),
        kernels=(Kernel(0, 1, name, None, 1, 128, 0, 64, 0, 0, 64),),
        dispatches=Dispatches(
            start=column(0),
            end=column(duration),
            kernel=column(0, np.int32),
            agent=column(0, np.int32),
            process=column(0, np.int32),
            grid=np.array([[256, 1, 1]]),
            block=np.array([[256, 1, 1]]),
            lds=column(0),
            scratch=column(0),
        ),
    )


@pytest.mark.parametrize("duration", [1, 123_456_789_012])
@pytest.mark.parametrize("name", ["k", "a_kernel_with_a_name_that_is_much_too_long_for_a_column()"])
def test_every_line_fits_and_virtual_is_said(name: str, duration: int) -> None:
    trace = one_dispatch(name, "AMD Instinct MI300X (virtual)", duration)
    text = render_profile(build_profile([RunInput(trace)], Origin("hardware", "1")))
    lines = text.splitlines()
    assert max(len(line) for line in lines) <= 100
    assert lines[-1].startswith("Result: ")
    assert lines[-1].endswith("on the virtual device")
    assert any(line.startswith("Device:") and "virtual" in line for line in lines)


def test_an_unknown_target_keeps_everything_but_its_occupancy() -> None:
    trace = one_dispatch("k", "Some GPU", 1000)
    agent = Agent(0, 1, "GPU", "gfx9999", "Some GPU", 0, {"cu_count": 7})
    document = build_profile([RunInput(replace(trace, agents=(agent,)))], Origin("recorded", "1"))
    assert document.occupancy is None
    assert document.device is not None
    assert document.device.compute_units == 7
    assert document.runtime_ms == pytest.approx(0.001)
    reasons = {entry.field: entry.reason for entry in document.unavailable}
    assert "gfx9999" in reasons["occupancy"]
