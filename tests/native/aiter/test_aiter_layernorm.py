"""Layer norm of a sum with the residual, also quantized to 8 bits per row.

Their code adds up the mean and then does not use it: it divides by the root of the mean square.
"""

from __future__ import annotations

import numpy as np
from aiter_support import (
    Job,
    Launch,
    Pointer,
    close,
    code_object,
    from_bf16,
    needs_aiter,
    to_bf16,
)

pytestmark = needs_aiter

ROWS, COLUMNS, EPSILON = 6, 8192, 1e-5


def _given(job: Job) -> tuple[np.ndarray, np.ndarray]:
    """Fills in the job; returns the normalized rows, and how large what they are made of is."""
    rng = np.random.default_rng(3)
    names = {"in": ROWS, "residual": ROWS, "weight": 1, "bias": 1}
    bits = {n: to_bf16(rng.normal(size=(rows, COLUMNS))) for n, rows in names.items()}
    job.arrays = {**bits, "sum": np.zeros((ROWS, COLUMNS), dtype=np.uint16)}
    values = {name: from_bf16(b).astype(np.float64) for name, b in bits.items()}
    total = values["in"] + values["residual"]
    size = np.sqrt((total**2).mean(axis=1, keepdims=True) + EPSILON)
    product = total / size * values["weight"]
    result = product + values["bias"]
    return result, 2 * np.abs(product) + np.abs(result)  # cut off to 8 bits three times


def _launch(kernel: str, code: str, *more: Pointer) -> Launch:
    pointers = [Pointer(p) for p in ("out", "in", "weight", "bias")]
    residuals = [Pointer("sum"), Pointer("residual")]
    arguments = [*pointers, EPSILON, ROWS, COLUMNS, *residuals, *more]
    return Launch(code_object(code), kernel, (ROWS // 2,), (256,), arguments)


def _sum_is_right(job: Job, found: np.ndarray) -> None:
    total = from_bf16(job.arrays["in"]) + from_bf16(job.arrays["residual"])
    close(from_bf16(found), total, relative=2.0**-7, absolute=0)  # cut off


def test_layer_norm(job: Job) -> None:
    expected, size = _given(job)
    job.arrays["out"] = np.zeros((ROWS, COLUMNS), dtype=np.uint16)
    found = job.run([_launch("layer_norm_kernel_func", "layer_norm.co")])
    _sum_is_right(job, found["sum"])
    close(from_bf16(found["out"]), expected, relative=0, absolute=size * 2.0**-7)


def test_quantized(job: Job) -> None:
    """Numbers times a scale per column are kept as 127ths of the largest of their row."""
    expected, size = _given(job)
    smooth = np.random.default_rng(4).uniform(0.5, 2, (1, COLUMNS)).astype(np.float32)
    job.arrays["smooth"] = smooth
    job.arrays["out"] = np.zeros((ROWS, COLUMNS), dtype=np.int8)
    job.arrays["scale"] = np.zeros((ROWS, 1), dtype=np.float32)
    more = (Pointer("scale"), Pointer("smooth"))
    found = job.run([_launch("layer_norm_qnt", "layer_norm_qnt.co", *more)])
    _sum_is_right(job, found["sum"])
    expected = expected * smooth
    scale = np.abs(expected).max(axis=1, keepdims=True) / 127
    close(found["scale"], scale, relative=2.0**-6, absolute=0)
    near = size * smooth * 2.0**-7 + scale
    close(found["out"] * found["scale"], expected, relative=0, absolute=near)
