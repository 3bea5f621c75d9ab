"""FP8 products with a scale per 128 columns of each row of A, and per 128 x 128 block of B."""

from __future__ import annotations

import numpy as np
from aiter_support import (
    FP8,
    Job,
    Launch,
    Pointer,
    close,
    code_object,
    needs_aiter,
    random_fp8,
    shuffled,
)

pytestmark = needs_aiter

BLOCK, ROWS, COLUMNS = 128, 128, 256


def _expected(a: np.ndarray, b: np.ndarray, scale_a: np.ndarray, scale_b: np.ndarray) -> np.ndarray:
    left = FP8[a].astype(np.float64) * np.repeat(scale_a, BLOCK, axis=1)
    blocks = np.repeat(np.repeat(scale_b, BLOCK, axis=0), BLOCK, axis=1)
    return left @ (FP8[b].astype(np.float64) * blocks).T


def test_product(job: Job) -> None:
    m, n, k = ROWS + 7, 2 * COLUMNS, 512
    rng = np.random.default_rng(13)
    a, b = random_fp8(rng, (m, k)), random_fp8(rng, (n, k))
    scale_a = rng.uniform(0.5, 2, (m, k // BLOCK)).astype(np.float32)
    scale_b = rng.uniform(0.5, 2, (n // BLOCK, k // BLOCK)).astype(np.float32)
    job.arrays = {
        "a": a, "b": shuffled(b), "scale_a": np.ascontiguousarray(scale_a.T),
        "scale_b": np.ascontiguousarray(scale_b.T), "d": np.zeros((m, n), dtype=np.float16),
    }  # fmt: skip
    name = "flatmm_uk_gfx9_f16f8_128x256x128_1x4x1_16x16x32"
    named = ("a", "b", None, "scale_a", "scale_b", None, "d", *[None] * 4)
    pointers = [Pointer(p) for p in named]
    launch = Launch(
        code_object(f"{name}.co"), name, (-(-n // COLUMNS), -(-m // ROWS)), (256,),
        [*pointers, k, n, m, 0, 0, 0], stride=0,
    )  # fmt: skip
    found = job.run([launch])["d"]
    close(found, _expected(a, b, scale_a, scale_b), relative=2.0**-10, absolute=0.05)
