"""FP8 products with a scale per 128 columns of each row of A, and per 128 x 128 block of B."""

from __future__ import annotations

import numpy as np
import pytest
from aiter_support import (
    FOLDER,
    FP8,
    Job,
    Launch,
    Pointer,
    close,
    code_object,
    entry,
    from_bf16,
    needs_aiter,
    random_fp8,
    shuffled,
)

pytestmark = needs_aiter

BLOCK, ROWS, COLUMNS = 128, 128, 256
SHUFFLED = sorted((FOLDER / "fp8gemm_blockscale").glob("*.co")) if FOLDER else []


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


@pytest.mark.parametrize("stem", [path.stem for path in SHUFFLED])
@pytest.mark.parametrize("splits", [1, 2])
def test_product_with_shuffled_weights(stem: str, splits: int, job: Job) -> None:
    rows, columns = map(int, stem.rsplit("_", 1)[1].split("x"))
    m, n, k = rows + 5, 2 * columns, 1024
    rng = np.random.default_rng(47)
    a, b = random_fp8(rng, (m, k)), random_fp8(rng, (n, k))
    scale_a = rng.uniform(0.5, 2, (m, k // BLOCK)).astype(np.float32)
    scale_b = rng.uniform(0.5, 2, (n // BLOCK, k // BLOCK)).astype(np.float32)
    job.arrays = {
        "a": a, "b": shuffled(b), "scale_a": np.ascontiguousarray(scale_a.T),
        "scale_b": scale_b, "bias": rng.uniform(-9, 9, (1, n)).astype(np.float32),
        "c": np.zeros((m, n), dtype=np.uint16),
    }  # fmt: skip
    pointers = [Pointer(p) for p in ("c", "a", "b", "scale_a", "scale_b", "bias")]
    launch = Launch(
        code_object(f"fp8gemm_blockscale/{stem}.co"), entry(stem),
        (n // columns * splits, -(-m // rows)), (256,),
        [*pointers, m, n, k, k, k, 2 * n, splits, m, n // BLOCK, k // BLOCK],
    )  # fmt: skip
    found = from_bf16(job.run([launch])["c"])
    expected = _expected(a, b, scale_a, scale_b) + job.arrays["bias"]
    close(found, expected, relative=splits * 2.0**-7, absolute=2.0**-7 * float(expected.std()))
