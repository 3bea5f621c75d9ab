"""The application of test_tune_triton_wheel.py: a product of matrices in two sizes, which checks
itself. With the path of a written table it launches what the table says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import triton
import triton.language as tl

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "native"))

from triton_jit import Array, use_driver

TILES = ((128, 128, 8), (64, 64, 4), (32, 32, 4), (48, 32, 4))  # no power of two: not Triton
CONFIGS = [triton.Config({"TM": m, "TN": n, "TK": 32}, num_warps=w) for m, n, w in TILES]
KEY, PRUNE = ["M", "N", "K"], None
if len(sys.argv) > 1:
    found = importlib.util.spec_from_file_location("best", sys.argv[1])
    assert found is not None
    assert found.loader is not None
    best = importlib.util.module_from_spec(found)
    found.loader.exec_module(best)
    CONFIGS, KEY, PRUNE = best.CONFIGS, best.KEY, {"early_config_prune": best.choose}


@triton.autotune(CONFIGS, key=KEY, prune_configs_by=PRUNE)
@triton.jit
def product_kernel(a, b, c, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rows = tl.program_id(0) * TM + tl.arange(0, TM)
    columns = tl.program_id(1) * TN + tl.arange(0, TN)
    inner = tl.arange(0, TK)
    total = tl.zeros((TM, TN), dtype=tl.float32)
    for start in range(0, K, TK):
        left = tl.load(a + rows[:, None] * K + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * N + columns[None, :])
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


def grid(meta):
    return meta["M"] // meta["TM"], meta["N"] // meta["TN"]


def main() -> None:
    use_driver()
    random = np.random.default_rng(1)
    for m, n, k in ((128, 128, 64), (256, 256, 64)):
        x, y = (random.standard_normal(s).astype(np.float16) for s in ((m, k), (k, n)))
        a, b, c = Array(x), Array(y), Array(np.zeros((m, n), np.float16))
        for _ in range(3):
            product_kernel[grid](a, b, c, m, n, k)
        exact = x.astype(np.float32) @ y.astype(np.float32)
        np.testing.assert_allclose(c.numpy().astype(np.float32), exact, rtol=1e-2, atol=0.1)
        print(m, n, k, product_kernel.best_config)


if __name__ == "__main__":
    main()
