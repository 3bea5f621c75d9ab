"""bfloat16 products with results in float32, also split over K."""

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
    to_bf16,
)

pytestmark = needs_aiter

NAMES = sorted(p.stem for p in (FOLDER / "bf16gemm").glob("*outf32*.co")) if FOLDER else []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("splits", [1, 2])
def test_product(name: str, splits: int, job: Job) -> None:
    rows, columns = map(int, name.split("_")[3].split("x"))
    m, n, k = rows + 3, 2 * columns, 512
    rng = np.random.default_rng(11)
    a, b = (to_bf16(rng.normal(size=(size, k))) for size in (m, n))
    job.arrays = {"a": a, "b": b, "d": np.zeros((m, n), dtype=np.float32)}
    strides = [0, 0, 4 * n, 0, 2 * k, 0, 2 * k, 0]  # of D, C, A and B, two each
    launch = Launch(
        code_object(f"bf16gemm/{Path(name).name}.co"), entry(name),
        (-(-n // columns), -(-m // rows), splits), (256,),
        [Pointer("d"), Pointer(None), Pointer("a"), Pointer("b"), 1.0, 0.0, *strides,
         m, n, k, splits],
    )  # fmt: skip
    found = job.run([launch])["d"]
    expected = from_bf16(a).astype(np.float64) @ from_bf16(b).T.astype(np.float64)
    close(found, expected, relative=1e-5, absolute=1e-3)
