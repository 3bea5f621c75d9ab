"""Known answers on recordings of an MI300X and an MI200."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.recordings import Known
from rocm_perf_lab.analysis.kernels.launch_groups import group_launches
from rocm_perf_lab.analysis.rooflines.launches import launch_rooflines
from rocm_perf_lab.analysis.rooflines.roofline import (
    SERIALISED,
    KernelRoofline,
    roofline,
)
from rocm_perf_lab.analysis.rooflines.roofs import roofs_of
from rocm_perf_lab.arch.device import device_facts
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.measured_roofs import ROOF_FILE, read_measured_roofs

ARRAY = 8 * 1024 * 1024  # bytes that vecCopy reads, and that it writes


def rooflines(folder: Path) -> dict[str, KernelRoofline]:
    trace = load([folder])
    agent = trace.agents[0]
    facts = device_facts(agent.name, {"product_name": agent.product, **agent.facts})
    file = folder / ROOF_FILE
    measured = read_measured_roofs(file)[0] if file.exists() else None
    points = roofline(trace, facts.target, roofs_of(facts, measured))
    return {point.kernel.partition("(")[0].partition("<")[0]: point for point in points}


@pytest.mark.parametrize("folder", ["dispatch_0", "kernel", "no_roof"])
def test_copy_on_mi300x(folder: str, known: Known) -> None:
    point = rooflines(known(f"veccopy-counters/MI300X_A1/{folder}"))["vecCopy"]
    fabric, l2, _l1, lds = point.traffic
    assert fabric.read == pytest.approx(8.40e6, rel=1e-3)
    assert fabric.written == ARRAY
    assert (l2.read, l2.written, lds.total) == (ARRAY, ARRAY, 0)
    assert point.flops.total == 0  # FP8 was not collected, and no matrix instruction ran
    assert point.bound == "memory"
    assert SERIALISED not in point.caveats
    assert not point.suspect


@pytest.mark.parametrize("folder", ["dispatch_0", "kernel"])
def test_copy_on_mi200(folder: str, known: Known) -> None:
    path = known(f"veccopy-counters/MI200/{folder}")
    point = rooflines(path)["vecCopy"]
    assert point.traffic[0].read == pytest.approx(ARRAY, rel=1e-3)
    assert point.traffic[1].total == 2 * ARRAY
    assert point.binding is not None
    assert point.binding.name == "hbm"
    assert 0.5 < (point.binding.utilisation or 0) < 1
    assert not point.suspect


def test_every_dispatch_has_its_own_bytes(known: Known) -> None:
    """The second and third copy overwrite lines that the L2 still holds from the first."""
    trace = load([known("veccopy-counters/MI200/kernel")])
    facts = device_facts("gfx90a", trace.agents[0].facts)
    launches = launch_rooflines(trace, group_launches(trace), facts.target, roofs_of(facts))
    points = [point for _, point in launches]
    assert [p.traffic[0].written for p in points] == [ARRAY, 90726 * 64, 91112 * 64]
    assert [p.mean_ns for p in points] == [20320, 15520, 16320]  # of timestamps.csv


@pytest.mark.parametrize("variant", ["bmm1", "bmm3"])
def test_batched_gemm(variant: str, known: Known) -> None:
    points = rooflines(known(f"mi300x-batched-gemm-counters/{variant}"))
    gemm = next(point for name, point in points.items() if "batched_matrix" in name)
    fill = points["__amd_rocclr_fillBufferAligned"]
    assert gemm.flops.total == gemm.flops.by_pipe["matrix", "bf16"] == 4194304 * 512
    assert (gemm.launches, fill.launches) == (150, 151)
    assert fill.traffic[0].written == 16 * 1024 * 1024
    assert gemm.bound == "memory"
    assert gemm.ridge is not None
    assert gemm.arithmetic_intensity is not None
    assert gemm.arithmetic_intensity < gemm.ridge
    for point in (gemm, fill):
        assert SERIALISED in point.caveats  # this release records no run without counters
        assert all(c.utilisation is not None and c.utilisation <= 1 for c in point.ceilings)


def test_read_size_alone_leaves_the_rest_unknown(known: Known) -> None:
    trace = load([known("rocprofv3-csv/gfx1151-prefill")])
    point = max(
        roofline(trace, device_facts("gfx1151").target, roofs_of(device_facts("gfx1151"))),
        key=lambda p: p.launches * p.mean_ns,
    )
    assert point.traffic[0].read is not None
    assert (point.traffic[0].total, point.byte_rate, point.bound) == (None, None, None)
    assert "WRITE_SIZE" in point.reasons["fabric"]
