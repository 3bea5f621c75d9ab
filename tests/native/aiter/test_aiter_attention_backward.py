"""Attention, backward: gradients of queries, keys and values, for heads of 64 and 128."""

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
from test_aiter_attention import attention

pytestmark = needs_aiter

TILE = 192
LOG2_E = 1.4426950408889634


def gradients(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, d_o: np.ndarray, scale: float, causal: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axes are batch, token, head, dimension."""
    out, sums = attention(q, k, v, scale, causal)
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) * scale
    weights = np.exp(scores - sums[..., None])
    if causal:
        weights = weights * np.tril(np.ones(scores.shape[-2:]))
    d_weights = np.einsum("bqhd,bkhd->bhqk", d_o, v)
    own = np.einsum("bqhd,bqhd->bhq", d_o, out)
    d_scores = weights * (d_weights - own[..., None]) * scale
    return (
        np.einsum("bhqk,bkhd->bqhd", d_scores, k),
        np.einsum("bhqk,bqhd->bkhd", d_scores, q),
        np.einsum("bhqk,bqhd->bkhd", weights, d_o),
    )


@pytest.mark.parametrize("head", [64, 128])
@pytest.mark.parametrize("mask", ["", "_causal"])
@pytest.mark.parametrize("rounding", ["rtna", "rtne", "rtz"])
def test_backward(head: int, mask: str, rounding: str, job: Job) -> None:
    batch, tokens, heads, kv_heads = 1, 2 * TILE, 2, 1
    rng = np.random.default_rng(41)
    bits = {
        name: to_bf16(rng.normal(size=(batch, tokens, count, head)))
        for name, count in {"q": heads, "k": kv_heads, "v": kv_heads, "do": heads}.items()
    }
    q, k, v, d_o = (from_bf16(bits[x]).astype(np.float64) for x in ("q", "k", "v", "do"))
    k, v = (np.repeat(x, heads // kv_heads, axis=2) for x in (k, v))
    scale = head**-0.5
    out, sums = attention(q, k, v, scale, bool(mask))
    job.arrays = {
        **bits, "lse": sums.astype(np.float32),
        "d": np.einsum("bqhd,bqhd->bhq", d_o, out).astype(np.float32),
        "dq": np.zeros((batch, tokens, heads, head), dtype=np.uint16),
        "dk": np.zeros((batch, tokens, heads, head), dtype=np.uint16),
        "dv": np.zeros((batch, tokens, heads, head), dtype=np.uint16),
    }  # fmt: skip
    row, kv_row = 2 * heads * head, 2 * kv_heads * head
    pointers = [Pointer(p) for p in ("dq", "dk", "dv", "q", "k", "v", "do", "lse", "d")]
    arguments = [
        *pointers, scale, LOG2_E, tokens, TILE * kv_row, 2 * head, tokens * row, row,
        heads // kv_heads, 2 * head, tokens * kv_row, kv_row, row, head,
    ]  # fmt: skip
    name = f"bwd_hd{head}_bf16{mask}_a16_{rounding}"
    tiles = tokens // TILE
    launch = Launch(
        code_object(f"fmha_v3_bwd/{name}.co"), entry(f"fmha_{name}"),
        ((tiles + 1) // 2 if mask else tiles, heads, batch), (256,), arguments,
    )  # fmt: skip
    found = job.run([launch])
    for array, expected in zip(("dq", "dk", "dv"), gradients(q, k, v, d_o, scale, bool(mask))):
        size = float(expected.std())
        close(from_bf16(found[array]), expected, relative=2.0**-5, absolute=2.0**-5 * size)
