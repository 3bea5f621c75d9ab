"""INT8 products with a scale per row and per column, a bias, and weights shuffled ahead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from aiter_support import (
    FOLDER,
    Job,
    Launch,
    Pointer,
    close,
    code_object,
    entry,
    from_bf16,
    needs_aiter,
    shuffled,
)

pytestmark = needs_aiter

NAMES = sorted(p.name for p in (FOLDER / "i8gemm").glob("*.co")) if FOLDER else []


def _tile(name: str) -> tuple[int, int]:
    rows, columns = Path(name).stem.rsplit("_", 1)[1].split("x")
    return int(rows), int(columns)


def _has_wide_tiles(code: Path) -> bool:
    """Whether it multiplies by v_mfma_i32_32x32x16_i8; else by v_mfma_i32_16x16x32_i8."""
    words = np.frombuffer(code.read_bytes()[: code.stat().st_size // 4 * 4], dtype=np.uint32)
    return bool((words >> 16 == 0xD3D6).any())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("splits", [1, 2])
def test_product(name: str, splits: int, job: Job) -> None:
    rows, columns = _tile(name)
    if splits > 1 and (rows, columns) == (112, 256):
        pytest.skip("the list of kernels says that this one does not split K")
    m, n, k = rows + 5, 2 * columns, 512
    wide = _has_wide_tiles(code_object(f"i8gemm/{name}"))
    if splits > 1 and wide:
        pytest.xfail(
            "each part zeroes its share of C, and waits for no other: workgroups go on in turn"
        )
    rng = np.random.default_rng(7)
    a = rng.integers(-128, 128, (m, k), dtype=np.int8)
    b = rng.integers(-128, 128, (n, k), dtype=np.int8)
    scale_a = rng.uniform(0.001, 0.01, (m, 1)).astype(np.float32)
    scale_b = rng.uniform(0.001, 0.01, (1, n)).astype(np.float32)
    bias = rng.uniform(-1, 1, (1, n)).astype(np.float32)
    job.arrays = {
        "a": a, "b": shuffled(b, rows=32 if wide else 16), "scale_a": scale_a,
        "scale_b": scale_b, "bias": bias, "c": np.zeros((m, n), dtype=np.uint16),
    }  # fmt: skip
    stem = Path(name).stem
    pointers = [Pointer(p) for p in ("c", "a", "b", "scale_a", "scale_b", "bias")]
    launch = Launch(
        code_object(f"i8gemm/{name}"), entry(stem),
        (n // columns * splits, -(-m // rows)), (256,), [*pointers, m, n, k, k, k, 2 * n, splits],
    )  # fmt: skip
    found = from_bf16(job.run([launch])["c"])
    scale = (scale_a * scale_b).astype(np.float64)
    halves = [slice(at, at + k // splits) for at in range(0, k, k // splits)]
    parts = [a[:, h].astype(np.int64) @ b[:, h].T.astype(np.int64) * scale for h in halves]
    # Each part is cut off to the 8 bits of a bfloat16, and rounded when it is added to others.
    size = sum(map(np.abs, parts)) + np.abs(bias)
    close(found, sum(parts) + bias, relative=0, absolute=size * (1 + (splits - 1) / 2) * 2.0**-7)
