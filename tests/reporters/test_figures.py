"""Figures on a page: the right value in the right column, with its unit and its rounding.

The documents are made by hand with numbers of which no two look alike, so that a swapped column, a
unit off by a thousand or a share that was not multiplied by 100 is another text.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.schemas import roofline as roofs
from rocm_perf_lab.collect.doctor.checks import Diagnosis, Finding
from rocm_perf_lab.prove.judge.document import JudgeDocument, RuleModel
from rocm_perf_lab.reporters.decisions.judge import render_judge
from rocm_perf_lab.reporters.figures.doctor import render_doctor
from rocm_perf_lab.reporters.figures.profile import render_profile
from rocm_perf_lab.reporters.figures.roofline import render_roofline


def cells(text: str, first: str) -> dict[str, str]:
    """The row that begins with a word, by the titles of its table."""
    lines = text.splitlines()
    row = next(line for line in lines if line.startswith(first))
    title = next(line for line in lines if line.startswith("kernel "))
    return dict(zip(re.split(r"\s{2,}", title), re.split(r"\s{2,}", row)))


RESOURCES = schema.ResourcesModel(
    vgpr_per_thread=88, sgpr_per_wave=16, lds_bytes=24_576, arch_vgpr=64, accum_vgpr=24,
    scratch_bytes=0,
)  # fmt: skip
OCCUPANCY = schema.OccupancyModel(
    theoretical=0.625, threads_per_block=256, wave_size=64, waves_per_simd=5.0,
    workgroups_per_cu=5, limiter="VGPR", limits={"VGPR": 5}, compiler_waves_per_simd=5,
    next_up=schema.NextStepModel(
        bounds={"VGPR": 80}, waves_per_simd=6.0, theoretical=0.75, text="80 registers give 75.0%"
    ),
    next_down=[],
)  # fmt: skip


def row(name: str, **changes: Any) -> schema.KernelRowModel:
    usual: dict[str, Any] = {
        "name": name, "symbol": None, "runtime_internal": False, "dispatches": 7,
        "total_ns": 2_345_600, "min_ns": 300_000, "median_ns": 335_100.0, "mean_ns": 335_085.7,
        "max_ns": 361_000, "cv": 0.0347, "share": 0.8125, "grid": (1024, 1, 1),
        "block": (256, 1, 1), "launch_shapes": 1, "resources": RESOURCES, "occupancy": OCCUPANCY,
    }  # fmt: skip
    return schema.KernelRowModel(**{**usual, **changes})


def profile(*rows: schema.KernelRowModel, **changes: Any) -> schema.ProfileDocument:
    usual: dict[str, Any] = {
        "schema_version": "1.1", "tool_version": "0", "command": ["./app", "9"], "source": None,
        "kernel": schema.KernelModel(name=rows[0].name, grid=None, block=None), "gpu": None,
        "device": schema.DeviceModel(
            kind="hardware", gfx="gfx942", product="MI300X", compute_units=304, xcc_count=8,
            max_clock_mhz=2100,
        ),
        "runtime_ms": 2.8869,
        "stability": schema.StabilityModel(
            runs=4, mean_ms=2.8869, stddev_ms=0.031, cv=0.0107, classification="stable",
            samples_ms=[2.8, 2.9], quantity="kernel_time",
        ),
        "resources": RESOURCES, "occupancy": OCCUPANCY, "roofline": None,
        "timing": schema.TimingModel(
            kernel_sum_ms=2.8869, gpu_busy_ms=2.75, span_ms=41.5, wall_ms=1234.5, run=0
        ),
        "kernels": list(rows), "warnings": [], "unavailable": [],
    }  # fmt: skip
    return schema.ProfileDocument(**{**usual, **changes})


def test_a_row_of_the_profile() -> None:
    assert cells(render_profile(profile(row("gemm"))), "gemm") == {
        "kernel": "gemm",
        "calls": "7",
        "total": "2.346 ms",
        "share": "81.2%",
        "median": "335.1 us",
        "CV": "3.5%",
        "VGPR": "88",
        "LDS": "24K",
        "occupancy": "62.5% (VGPR)",
    }


def test_what_is_unknown_is_a_dash_and_never_0() -> None:
    unknown = row("gemm", cv=None, resources=None, occupancy=None)
    found = cells(render_profile(profile(unknown)), "gemm")
    assert {found[name] for name in ("CV", "VGPR", "LDS", "occupancy")} == {"-"}


@pytest.mark.parametrize(
    "line",
    [
        "Application: ./app 9",
        "Device: MI300X (gfx942, 304 CUs, 8 XCDs), hardware",
        "Time: kernel time 2.887 ms, GPU busy 2.750 ms, first start to last end 41.50 ms, process",
        "Stability: stable, CV 1.1% over 4 runs, mean 2.887 ms.",
        "Occupancy of the dominant kernel is limited by VGPR: 80 registers give 75.0%.",
        "Result: 2.8869 ms of kernel time per run, 81.2% in gemm",
    ],
)
def test_a_line_of_the_profile(line: str) -> None:
    assert line in render_profile(profile(row("gemm")))


def test_the_hosts_clock_is_explained_where_the_device_is_virtual() -> None:
    measured = profile(row("gemm"))
    assert measured.device is not None
    virtual = replace(measured, device=replace(measured.device, kind="virtual"))
    said = render_profile(virtual).split("\n\n")[-2]
    assert said.startswith("Host clock: seconds and rates that the application computes with the")
    assert "Host clock" not in render_profile(measured)
    recorded = replace(virtual, timing=replace(virtual.timing, wall_ms=None))
    assert "Host clock" not in render_profile(recorded)


def test_rows_that_are_not_shown_are_counted_with_their_share() -> None:
    rows = [row(f"kernel_{number}", share=0.04) for number in range(25)]
    assert "... and 5 more kernels with 20.0% of the time" in render_profile(profile(*rows))


def test_wall_time_is_in_milliseconds() -> None:
    wall = schema.StabilityModel(
        runs=3, mean_ms=812.5, stddev_ms=None, cv=None, classification=None,
        samples_ms=[812.5], quantity="wall_time",
    )  # fmt: skip
    text = render_profile(profile(row("gemm"), runtime_ms=812.5, stability=wall))
    assert text.endswith("Result: 812.500 ms wall time per run (mean of 3), kernels not recorded\n")


def roofline(**changes: Any) -> roofs.RooflineDocument:
    ceiling = roofs.CeilingModel(
        name="hbm", kind="memory", work=8e6, rate=2.5e12, utilisation=0.47, exact=True,
        suspect=False,
    )  # fmt: skip
    usual: dict[str, Any] = {
        "kernel": "gemm", "launches": 3, "mean_ns": 3200.0, "coverage": 1.0, "flops": 2e6,
        "flops_by_pipe": {}, "flops_method": "counted", "levels": [],
        "arithmetic_intensity": 0.25, "ridge": 30.0, "flop_rate": 6.25e11, "byte_rate": 2.5e12,
        "bound": "memory", "binding": "hbm", "reached": 0.4717, "ceilings": [ceiling],
        "suspect": False, "reasons": {}, "caveats": ["a caveat"],
    }  # fmt: skip
    return roofs.RooflineDocument(
        schema_version="1.0",
        tool_version="0",
        target="gfx942",
        virtual=False,
        time_source="trace",
        roofs=[
            roofs.RoofModel(name="hbm", value=5.3e12, source="theoretical"),
            roofs.RoofModel(name="valu.fp32", value=1.6e14, source="theoretical"),
        ],
        kernels=[roofs.KernelRooflineModel(**{**usual, **changes})],
        launches=[],
        notes=["a note"],
    )


def test_a_row_of_the_roofline() -> None:
    table, *paragraphs = render_roofline(roofline())
    assert cells(table, "gemm") == {
        "kernel": "gemm",
        "GFLOP/s": "625",
        "GB/s": "2500",
        "FLOP/B": "0.25",
        "bound": "memory",
        "nearest roof": "hbm",
        "reached": "47.2%",
    }
    # Only the roof that a kernel stands under, in the unit of its kind.
    assert paragraphs[0] == "Roofs: hbm 5300 GB/s (theoretical)."
    assert paragraphs[1:] == ["Note: a note", "Note: a caveat"]


def test_a_rate_of_a_pipe_is_no_bandwidth() -> None:
    used = roofs.CeilingModel(
        name="valu.fp32", kind="compute", work=1.0, rate=1.0, utilisation=None, exact=True,
        suspect=False,
    )  # fmt: skip
    assert "valu.fp32 160000 GFLOP/s" in render_roofline(roofline(ceilings=[used]))[1]


def test_a_suspect_row_is_marked_and_an_unknown_one_is_a_dash() -> None:
    found = cells(render_roofline(roofline(suspect=True, flop_rate=None, bound=None))[0], "gemm")
    assert (found["reached"], found["GFLOP/s"], found["bound"]) == ("47.2% ?", "-", "-")


def judged(**changes: Any) -> str:
    rule = RuleModel(
        min_gain=0.02, alpha=0.001, interval_miss=0.05, confirmation_alpha=0.02, confirm=False,
        level=0.004, most_outliers=0.2, least_blocks=8,
    )  # fmt: skip
    usual: dict[str, Any] = {
        "schema_version": "1.0", "verdict": "NO_CHANGE", "effect": 1.23456, "low": 1.1111,
        "high": 1.3333, "claim": None, "p": 0.000321, "p_slower": 0.98, "floor": 1.0456,
        "blocks": 24, "outliers": 5, "value": "low", "candidates": 2, "confirmed": None,
        "reason": "why", "needed": None, "more_blocks": None, "rule": rule, "notes": (),
    }  # fmt: skip
    return render_judge(JudgeDocument(**{**usual, **changes}))


@pytest.mark.parametrize(
    "line",
    [
        "Blocks      24 of two baseline processes and one candidate",
        "Effect      1.2346x (baseline / candidate, all launches)",
        "Interval    1.1111x to 1.3333x, 95 %, over 2 candidates together",
        "By chance   p = 0.00032 faster, 0.98 slower (needed: 0.002)",
        "Floor       1.0456x, from the baseline against itself and 2.0%",
        "Outliers    5 of 72 processes, none left out",
        "Result: NO CHANGE (why)",
    ],
)
def test_a_line_of_the_judge(line: str) -> None:
    assert line in judged().splitlines()


def test_an_interval_without_an_end() -> None:
    assert "Interval    1.1111x to anything" in judged(high=None)


@pytest.mark.parametrize(
    ("statuses", "answer"),
    [(("ok", "warn"), "profile can run"), (("fail", "fail"), "profile cannot run: 2 problems")],
)
def test_what_the_doctor_says(statuses: tuple[Any, ...], answer: str) -> None:
    findings = tuple(Finding(f"part {s}", s, "detail", "cure it") for s in statuses)
    text = render_doctor(Diagnosis(findings, None, None))  # type: ignore[arg-type]
    assert text.endswith(f"Result: {answer}\n")
    assert f"[{statuses[1]}] part {statuses[1]}: detail\n       fix:  cure it" in text
