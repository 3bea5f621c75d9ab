"""Which recordings are of the virtual device."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import Agent, Process, Trace

HEADER = Path(__file__).parents[2] / "native" / "vgpu" / "hsa" / "base" / "gfx942.h"


def trace_of(product: str, kind: str = "GPU") -> Trace:
    builder = TraceBuilder(Process("guid", 1, None, None, "made up"))
    builder.add_agent(Agent(0, 3, kind, "gfx942", product, 0, {}))
    return builder.build()


def test_by_the_name_that_the_device_gives_itself() -> None:
    (name,) = re.findall(r'kProductName = "([^"]+)"', HEADER.read_text())
    assert trace_of(name).is_virtual
    assert not trace_of(name, kind="CPU").is_virtual


@pytest.mark.parametrize(
    "unusual",
    ["10 CUs per XCD, 1.42 GHz", "noise typical", "10 CUs per XCD, 1.42 GHz, noise quiet"],
)
def test_with_what_is_unusual_in_its_name(unusual: str) -> None:
    assert trace_of(f"AMD Instinct MI300X (virtual, {unusual})").is_virtual


@pytest.mark.parametrize("product", ["", "AMD Instinct MI300X VF", "AMD Virtual GPU"])
def test_a_part_of_a_real_device_is_none(product: str) -> None:
    assert not trace_of(product).is_virtual
