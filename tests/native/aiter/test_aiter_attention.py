"""Attention, forward: bfloat16, heads of 128, with and without a causal mask, all roundings."""

from __future__ import annotations

import numpy as np
import pytest
from aiter_support import (
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

TILE, HEAD = 256, 128


def attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float, causal: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Results and logarithms of sums; axes are batch, token, head, dimension."""
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if causal:
        rows, columns = scores.shape[-2:]
        scores = np.where(np.tril(np.ones((rows, columns)), columns - rows) > 0, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - largest)
    total = weights.sum(axis=-1, keepdims=True)
    return np.einsum("bhqk,bkhd->bqhd", weights / total, v), (largest + np.log(total))[..., 0]


@pytest.mark.parametrize("device", ["MI300", "MI308"])
@pytest.mark.parametrize("mask", ["", "_causal"])
@pytest.mark.parametrize("rounding", ["", "_rtna", "_rtne", "_rtz"])
def test_forward(device: str, mask: str, rounding: str, job: Job) -> None:
    batch, tokens, heads, kv_heads = 1, 384, 2, 1
    rng = np.random.default_rng(17)
    bits = {
        name: to_bf16(rng.normal(size=(batch, tokens, count, HEAD)))
        for name, count in {"q": heads, "k": kv_heads, "v": kv_heads}.items()
    }
    job.arrays = {
        **bits, "o": np.zeros((batch, tokens, heads, HEAD), dtype=np.uint16),
        "lse": np.zeros((batch, heads, tokens), dtype=np.float32),
    }  # fmt: skip
    row, kv_row, head = 2 * heads * HEAD, 2 * kv_heads * HEAD, 2 * HEAD
    scale = HEAD**-0.5
    name = f"fwd_hd128_bf16{mask}{rounding}"
    arguments = [
        *(Pointer(p) for p in ("o", "q", "k", "v", "lse")), scale, tokens,
        row, TILE * row, head, tokens * row, heads // kv_heads,
        kv_row, head, tokens * kv_row, 3 if mask else 5, 1, tokens, HEAD, HEAD, heads,
        kv_row, head, tokens * kv_row, row, head, tokens * row,
        Pointer(None), Pointer(None), 4 * tokens,
    ]  # fmt: skip
    tiles = -(-tokens // TILE)
    launch = Launch(
        code_object(f"fmha_v3_fwd/{device}/{name}.co"), entry(f"fmha_{name}"),
        (-(-tiles // 2) if mask else tiles, heads, batch), (512,), arguments,
    )  # fmt: skip
    found = job.run([launch])
    q, k, v = (from_bf16(bits[x]).astype(np.float64) for x in "qkv")
    k, v = (np.repeat(x, heads // kv_heads, axis=2) for x in (k, v))
    expected, sums = attention(q, k, v, scale, bool(mask))
    close(from_bf16(found["o"]), expected, relative=2.0**-6, absolute=2.0**-6)
    close(found["lse"], sums, relative=1e-3, absolute=1e-3)
