"""Arithmetic: cycles of the matrix instructions and FP32 multiply-add."""

from __future__ import annotations

from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench, by_name, marginal_rate
from benchmarks.calibrate.quantity import Published, Quantity, Section, figure
from rocm_perf_lab.arch.model import load_timing_model

MATRIX_SOURCE = (
    "AMD blog on matrix cores, rates of the CDNA 3 white paper, thread traces, Origami's table"
)
# Cycles that one instruction occupies the matrix core of its SIMD.
MATRIX_CYCLES = {
    "f16_32x32x8": 32,
    "f16_16x16x16": 16,
    "bf16_32x32x8": 32,
    "bf16_16x16x16": 16,
    "f32_32x32x2": 64,
    "f32_16x16x4": 32,
    "xf32_32x32x4": 32,
    "f64_16x16x4": 32,
    "f64_4x4x4_4b": 16,
    "i8_32x32x16": 32,
    "i8_16x16x32": 16,
    "fp8_32x32x16": 32,
    "fp8_16x16x32": 16,
}
ROOFS = "roofline benchmark of rocprofiler-compute"
ONE_CU = Published(255, 255, "public microbenchmark, 16 waves")
# Whole chip, under full load: shape that is fastest here, its operations, TFLOPS.
MATRIX_ROOFS = {
    "FP8": ("fp8_16x16x32", 2 * 16 * 16 * 32, 1868),
    "FP16": ("f16_16x16x16", 2 * 16 * 16 * 16, 916),
    "FP32": ("f32_16x16x4", 2 * 16 * 16 * 4, 139),
    "FP64": ("f64_16x16x4", 2 * 16 * 16 * 4, 143),
    "INT8": ("i8_16x16x32", 2 * 16 * 16 * 32, 977),
}
ONE_CLOCK = (
    "the chip lowers its clock under full matrix load, the model keeps 2.1 GHz; the recorded "
    "integer products are half as fast as those of FP8, which have the same peak"
)


def section(bench: Bench) -> Section:
    rows = [*_matrix_rows(bench), *_fma_rows(bench)]
    return Section("Arithmetic", TEXT, rows)


def _matrix_rows(bench: Bench) -> list[Quantity]:
    model = load_timing_model()
    groups = by_name(bench.run("matrix_rates"))
    simds = model.value("xcds") * model.value("units_per_xcd") * model.value("simds_per_unit")
    rows = []
    for name, launches in groups.items():
        cycles = simds * model.value("clock_ghz") / marginal_rate(launches)
        published = figure(MATRIX_CYCLES[name], MATRIX_SOURCE)
        rows.append(
            Quantity(f"MFMA {name}", "cycles", published, cycles, Group.REPRODUCED, Kind.RATE)
        )
    for what, (name, operations, tera) in MATRIX_ROOFS.items():
        rate = operations * marginal_rate(groups[name]) / 1000
        rows.append(_predicted(f"MFMA {what}, all CUs", "TFLOPS", figure(tera, ROOFS), rate))
    return rows


def _fma_rows(bench: Bench) -> list[Quantity]:
    rate = {launch.name: launch.work / launch.duration_ns for launch in bench.run("fma_rate")}
    return [
        _predicted("FP32 FMA, one CU, 16 waves", "GFLOPS", ONE_CU, rate["one_cu"]),
        _predicted("FP32 FMA, packed, all CUs", "TFLOPS", figure(127.4, ROOFS),
                   rate["all_cus_packed"] / 1000),
    ]  # fmt: skip


def _predicted(name: str, unit: str, published: Published, rate: float) -> Quantity:
    return Quantity(name, unit, published, rate, Group.PREDICTED, Kind.RATE, reason=ONE_CLOCK)


TEXT = (
    "Matrix instructions from two launches with different counts; FP32 from whole launches. The "
    "model keeps 2.1 GHz; under full matrix load a real MI300X lowers its clock. Not compared are "
    "two recorded roofs that cannot be: FP64 vector arithmetic above the peak of the chip, and "
    "products of bfloat16 at half the rate of FP16."
)
