"""Latent attention, the first stage of decoding: parts of the keys, with their sums' logarithms."""

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

WIDE, NARROW = 576, 512  # of a key, and of its part that is the value
LENGTHS = (70, 130)


@pytest.mark.parametrize(("heads", "tile"), [(16, 16), (128, 128)])
@pytest.mark.parametrize("splits", [1, 2])
def test_decode(heads: int, tile: int, splits: int, job: Job) -> None:
    rng = np.random.default_rng(29)
    batch, pages = len(LENGTHS), sum(LENGTHS)
    q = to_bf16(rng.normal(size=(batch, heads, WIDE)))
    kv = to_bf16(rng.normal(size=(pages, 1, 1, WIDE)))
    begins = np.array([0, *np.cumsum(LENGTHS)], dtype=np.int32)
    indices = rng.permutation(pages).astype(np.int32)
    job.arrays = {
        "q": q, "kv": kv, "kv_begins": begins, "pages": indices,
        "last": np.ones(batch, dtype=np.int32),
        "q_begins": np.arange(batch + 1, dtype=np.int32),
        "split_begins": np.arange(0, (batch + 1) * splits, splits, dtype=np.int32),
        "parts": np.zeros((batch, splits, heads, NARROW), dtype=np.float32),
        "lse": np.zeros((batch, splits, heads, 1), dtype=np.float32),
        "o": np.zeros((batch, heads, NARROW), dtype=np.uint16),
    }  # fmt: skip
    name = f"mla_dec_stage1_bf16_a16w16_subQ{tile}_mqa{heads}"
    scale = WIDE**-0.5
    pointers = [Pointer(p) for p in ("parts", "lse", "q", "kv", "kv_begins", "pages", "last")]
    arguments = [
        *pointers, scale, heads, splits, 2 * heads * WIDE, 2 * WIDE, 0, Pointer("q_begins"),
        Pointer("split_begins"), Pointer("o"), Pointer(None), Pointer(None), splits,
    ]  # fmt: skip
    grid = (-(-heads // tile), batch, splits)
    found = job.run([Launch(code_object(f"mla/{name}.co"), entry(name), grid, (256,), arguments)])
    lse = found["lse"][..., 0].astype(np.float64)
    share = np.exp(lse - lse.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    together = (share[..., None] * found["parts"]).sum(axis=1)
    if splits == 1 and heads == 128:  # nothing is left to be put together: the first part is it
        final = found["parts"].view(np.uint16).reshape(-1)[: batch * heads * NARROW]
        together = from_bf16(final).reshape(batch, heads, NARROW)
    for b, length in enumerate(LENGTHS):
        keys = from_bf16(kv[indices[begins[b] :][:length], 0, 0]).astype(np.float64)
        scores = from_bf16(q[b]).astype(np.float64) @ keys.T * scale
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        close(together[b], weights @ keys[:, :NARROW], relative=2.0**-6, absolute=2.0**-6)
