"""The application of test_replay_triton.py: launches a kernel three times by Triton's own JIT."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import triton
import triton.language as tl

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "native"))

from triton_jit import Array, use_driver

COUNT, BLOCK = 3000, 1024


@triton.jit
def scale_kernel(x, out, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.exp(tl.load(x + at, mask=inside).to(tl.float32)) * factor
    tl.store(out + at, value.to(tl.float16), mask=inside)


def main() -> None:
    use_driver()
    x = np.linspace(-1, 1, COUNT, dtype=np.float16)
    values, out = Array(x), Array(np.zeros(COUNT, np.float16))
    for factor in (1.0, 2.0, 3.0):
        scale_kernel[(triton.cdiv(COUNT, BLOCK),)](values, out, factor, COUNT, BLOCK=BLOCK)
    np.testing.assert_allclose(out.numpy(), 3 * np.exp(x.astype(np.float32)), rtol=2e-3)


if __name__ == "__main__":
    main()
