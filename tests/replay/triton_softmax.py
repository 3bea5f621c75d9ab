"""The application of test_replay_triton.py: compiles a softmax ahead of time and launches it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "native"))

from hip_module import DeviceArray, Hip, launch

ROWS, COLUMNS, BLOCK, WAVE = 7, 781, 1024, 64


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=inside)


def main(prefix: Path) -> None:
    types = {"x": "*fp32", "out": "*fp32", "columns": "i32", "BLOCK": "constexpr"}
    source = ASTSource(fn=softmax_kernel, signature=types, constexprs={"BLOCK": BLOCK})
    made = triton.compile(source, target=GPUTarget("hip", "gfx942", WAVE))
    hip = Hip(prefix)
    x = np.random.default_rng(2).standard_normal((ROWS, COLUMNS)).astype(np.float32)
    out, scratch = DeviceArray(hip, np.zeros_like(x)), DeviceArray(hip, np.zeros(1, np.int64))
    meta = made.metadata
    arguments = [DeviceArray(hip, x), out, COLUMNS, scratch, scratch]
    threads = meta.num_warps * WAVE
    launch(hip, made.asm["hsaco"], meta.name, [ROWS], threads, meta.shared, arguments)
    np.testing.assert_allclose(out.numpy().sum(axis=1), np.ones(ROWS), rtol=1e-5)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
