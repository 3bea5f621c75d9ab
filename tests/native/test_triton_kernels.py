"""Kernels that Triton compiled ahead of time for gfx942 run on the virtual device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="triton is not installed: pip install triton")

import triton.language as tl
from hip_module import Argument, DeviceArray, Hip, launch
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm.prefix import ensure_prefix

pytestmark = pytest.mark.native

WAVE = 64


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rows = tl.program_id(0) * TM + tl.arange(0, TM)
    columns = tl.program_id(1) * TN + tl.arange(0, TN)
    inner = tl.arange(0, TK)
    total = tl.zeros((TM, TN), dtype=tl.float32)
    for start in range(0, K, TK):
        left = tl.load(a + rows[:, None] * K + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * N + columns[None, :])
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@triton.jit
def printing_kernel(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_print("value", tl.load(x + at, mask=at < n))


@pytest.fixture(scope="module")
def hip() -> Hip:
    try:
        prefix: Path = ensure_prefix(lambda step: None)
    except ToolMissing as error:
        pytest.skip(f"the virtual ROCm cannot be built here: {error}")
    return Hip(prefix)


def run(
    hip: Hip,
    kernel: triton.JITFunction,
    types: dict[str, str],
    constants: dict[str, int],
    grid: Sequence[int],
    arguments: Sequence[Argument],
) -> str:
    """Compiles and launches; returns the assembly."""
    signature = {**types, **dict.fromkeys(constants, "constexpr")}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    made = triton.compile(source, target=GPUTarget("hip", "gfx942", WAVE))
    meta = made.metadata
    assert meta.global_scratch_size == 0
    scratch = DeviceArray(hip, np.zeros(1, dtype=np.int64))
    launch(
        hip,
        made.asm["hsaco"],
        meta.name,
        grid,
        meta.num_warps * WAVE,
        meta.shared,
        [*arguments, scratch, scratch],
    )
    return str(made.asm["amdgcn"])


def test_vector_add(hip: Hip) -> None:
    n, block = 5000, 1024
    random = np.random.default_rng(1)
    x, y = (random.standard_normal(n).astype(np.float32) for _ in range(2))
    out = DeviceArray(hip, np.zeros(n, dtype=np.float32))
    types = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
    arguments = [DeviceArray(hip, x), DeviceArray(hip, y), out, n]
    run(hip, add_kernel, types, {"BLOCK": block}, [-(-n // block)], arguments)
    np.testing.assert_array_equal(out.numpy(), x + y)


def test_softmax(hip: Hip) -> None:
    rows, columns = 7, 781
    x = np.random.default_rng(2).standard_normal((rows, columns)).astype(np.float32)
    out = DeviceArray(hip, np.zeros_like(x))
    types = {"x": "*fp32", "out": "*fp32", "columns": "i32"}
    run(
        hip,
        softmax_kernel,
        types,
        {"BLOCK": 1024},
        [rows],
        [DeviceArray(hip, x), out, columns],
    )
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out.numpy(), powers / powers.sum(axis=1, keepdims=True), rtol=2e-6)


def test_f16_matrix_product_uses_mfma(hip: Hip) -> None:
    m, n, k = 128, 64, 96
    random = np.random.default_rng(3)
    a = random.standard_normal((m, k)).astype(np.float16)
    b = random.standard_normal((k, n)).astype(np.float16)
    out = DeviceArray(hip, np.zeros((m, n), dtype=np.float32))
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    arguments = [DeviceArray(hip, a), DeviceArray(hip, b), out, m, n, k]
    tiles = {"TM": 64, "TN": 64, "TK": 32}
    assembly = run(hip, matmul_kernel, types, tiles, [m // 64, n // 64], arguments)
    assert "v_mfma_f32" in assembly
    exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(out.numpy(), exact, rtol=1e-5, atol=1e-4)


def test_device_print(hip: Hip, capfd: pytest.CaptureFixture[str]) -> None:
    x = DeviceArray(hip, np.arange(256, dtype=np.float32) / 4)
    run(hip, printing_kernel, {"x": "*fp32", "n": "i32"}, {"BLOCK": 128}, [2], [x, 256])
    lines = capfd.readouterr().out.splitlines()
    expected = [
        f"pid ({block}, 0, 0) idx ({lane:3d}) value: {(block * 128 + lane) / 4:f}"
        for block in range(2)
        for lane in range(128)
    ]
    # A tensor of 128 on 256 threads: two of them have each value.
    assert sorted(set(lines)) == sorted(expected)
