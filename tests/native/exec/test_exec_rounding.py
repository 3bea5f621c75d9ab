"""VROCM_ROUNDING: what is not exact is rounded up or down at random; nothing else changes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exec_support import Buffer, build, importing, needs_harness

pytestmark = needs_harness

COUNT = 4096
SOURCE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL(name, T, R, expression)                                                      \\
  kernel void name(global R* out, global const T* x, global const T* y, global const T* z) { \\
    const size_t at = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x(); \\
    const T a = x[at], b = y[at], c = z[at];                                                \\
    out[at] = (R)(expression);                                                              \\
  }
KERNEL(add_f32, float, float, a + b)
KERNEL(mul_f32, float, float, a * b)
KERNEL(fma_f32, float, float, __builtin_fmaf(a, b, c))
KERNEL(add_f64, double, double, a + b)
KERNEL(fma_f64, double, double, __builtin_fma(a, b, c))
KERNEL(add_f16, half, half, a + b)
KERNEL(mul_f16, half, half, a * b)
KERNEL(narrow, double, float, a)
KERNEL(rcp_f32, float, float, __builtin_amdgcn_rcpf(a))
KERNEL(sqrt_f32, float, float, __builtin_amdgcn_sqrtf(__builtin_fabsf(a)))
KERNEL(exp_f32, float, float, __builtin_amdgcn_exp2f(a))
KERNEL(divide_u32, uint, uint, a / (b | 1))
KERNEL(divide_u64, ulong, ulong, a / (b >> 20 | 1))
KERNEL(divide_u24, uint, uint, (a & 0xffffff) / (b >> 10 & 0xffff | 1))

typedef float f4 __attribute__((ext_vector_type(4)));
kernel void matrix(global float* out, global const float* x, global const float* y) {
  const int lane = __builtin_amdgcn_workitem_id_x();
  f4 sum = {0, 0, 0, 0};
  sum = __builtin_amdgcn_mfma_f32_16x16x4f32(x[lane], y[lane], sum, 0, 0, 0);
  for (int k = 0; k < 4; ++k) out[4 * lane + k] = sum[k];
}
kernel void atomics(global float* out, global const float* x) {
  __builtin_amdgcn_global_atomic_fadd_f32(out, x[__builtin_amdgcn_workitem_id_x()]);
}
"""
INPUTS: dict[str, Any] = {
    "float": np.float32, "double": np.float64, "half": np.float16, "uint": np.uint32,
    "ulong": np.uint64,
}  # fmt: skip
FLOAT_KERNELS = (
    "add_f32", "mul_f32", "fma_f32", "add_f64", "fma_f64", "add_f16", "mul_f16", "narrow",
    "rcp_f32", "sqrt_f32", "exp_f32",
)  # fmt: skip
INTEGER_KERNELS = ("divide_u32", "divide_u64", "divide_u24")


def _types_of(name: str) -> tuple[Any, Any]:
    line = next(line for line in SOURCE.splitlines() if line.startswith(f"KERNEL({name},"))
    taken, result = (word.strip() for word in line.split(",")[1:3])
    return INPUTS[taken], INPUTS[result]


def inputs_of(kind: Any, exact: bool) -> list[np.ndarray]:
    """Exact ones are small integers: their sums, products and conversions need no rounding."""
    generator = np.random.default_rng(5)
    if not np.issubdtype(kind, np.floating):
        bits = 8 * np.dtype(kind).itemsize
        return [generator.integers(0, 2**bits, COUNT, dtype=kind) for _ in range(3)]
    if exact:
        return [generator.integers(-16, 17, COUNT).astype(kind) for _ in range(3)]
    return [generator.standard_normal(COUNT).astype(kind) for _ in range(3)]


def compute(folder: str, into: str) -> None:
    """In a process of its own: the settings are read once."""
    code = build(SOURCE, Path(folder))
    results = {}
    for name in (*FLOAT_KERNELS, *INTEGER_KERNELS):
        kind, result = _types_of(name)
        for exact in (False, True):
            taken = [Buffer(one) for one in inputs_of(kind, exact)]
            out = Buffer(np.zeros(COUNT, dtype=result))
            code.run(name, COUNT, 256, [out, *taken])
            results[f"{name}{' exact' if exact else ''}"] = out.array.copy()
    rows = [Buffer(one[:64]) for one in inputs_of(np.float32, False)[:2]]
    out = Buffer(np.zeros(256, dtype=np.float32))
    code.run("matrix", 64, 64, [out, *rows])
    results["matrix"] = out.array.copy()
    total = Buffer(np.full(1, 1000.0, dtype=np.float32))
    code.run("atomics", 64, 64, [total, rows[0]])
    results["atomics"] = total.array.copy()
    np.savez(into, **results)


@functools.cache
def computed(folder: Path, seed: int, threads: int = 2, bits: int = 0) -> dict[str, np.ndarray]:
    into = folder / f"{seed}-{threads}-{bits}.npz"
    place = folder / into.stem
    place.mkdir(exist_ok=True)
    script = importing(__file__) + (
        f"from test_exec_rounding import compute; compute({str(place)!r}, {str(into)!r})"
    )
    variables = {"VROCM_ROUNDING": str(seed), "VROCM_THREADS": str(threads)}
    variables["VROCM_ROUNDING_BITS"] = str(bits)
    environment = {**os.environ, **variables}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    with np.load(into) as found:
        return dict(found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rounding")


def units_between(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    wide = np.maximum(np.abs(left), np.abs(right))
    return np.asarray(np.abs(left.astype(np.float64) - right) / np.spacing(wide), dtype=np.float64)


@pytest.mark.parametrize("name", FLOAT_KERNELS)
def test_inexact_results_move_by_at_most_one_unit(folder: Path, name: str) -> None:
    usual, moved = computed(folder, 0)[name], computed(folder, 1)[name]
    units = units_between(usual, moved)
    assert units.max() <= 1.0
    assert 0.2 < np.mean(usual != moved) < 0.7  # half of them are rounded as before
    above = np.mean((moved > usual)[usual != moved])
    assert 0.4 < above < 0.6
    assert not np.array_equal(moved, computed(folder, 2)[name])


@pytest.mark.parametrize(
    "name", [one for one in FLOAT_KERNELS if one[:3] not in ("rcp", "sqr", "exp")]
)
def test_exact_results_stay(folder: Path, name: str) -> None:
    for seed in (1, 2):
        assert np.array_equal(computed(folder, 0)[f"{name} exact"],
                              computed(folder, seed)[f"{name} exact"])  # fmt: skip


def test_exact_reciprocals_and_roots_stay(folder: Path) -> None:
    usual, moved = computed(folder, 0), computed(folder, 1)
    values = np.abs(inputs_of(np.float32, True)[0])
    powers = np.isin(values, [0, 1, 2, 4, 8, 16])
    assert np.array_equal(usual["rcp_f32 exact"][powers], moved["rcp_f32 exact"][powers])
    squares = np.isin(values, [0, 1, 4, 9, 16])
    assert np.array_equal(usual["sqrt_f32 exact"][squares], moved["sqrt_f32 exact"][squares])


@pytest.mark.parametrize("name", INTEGER_KERNELS)
def test_integers_are_divided_as_ever(folder: Path, name: str) -> None:
    usual = computed(folder, 0)[name]
    for seed in (1, 2):
        assert np.array_equal(usual, computed(folder, seed)[name])


def test_matrix_instructions_and_atomics_round_too(folder: Path) -> None:
    usual, moved = computed(folder, 0), computed(folder, 1)
    terms = np.abs(usual["matrix"]).max() + 4 * 16  # four products of at most 16 each
    off = np.abs(usual["matrix"] - moved["matrix"])
    assert 0 < off.max() <= 4 * np.spacing(np.float32(terms))
    assert units_between(usual["atomics"], moved["atomics"])[0] <= 64
    assert any(computed(folder, seed)["atomics"] != usual["atomics"] for seed in (1, 2))


def test_the_number_of_host_threads_does_not_matter(folder: Path) -> None:
    one, two = computed(folder, 1, threads=1), computed(folder, 1, threads=2)
    assert all(np.array_equal(one[name], two[name], equal_nan=True) for name in one)


def test_only_results_that_are_wide_enough_move(folder: Path) -> None:
    usual, moved = computed(folder, 0), computed(folder, 1, bits=64)
    for name in usual:
        same = np.array_equal(usual[name], moved[name], equal_nan=True)
        assert same is (name not in ("add_f64", "fma_f64")), name
