"""The largest gates of each token after a softmax over the experts."""

from __future__ import annotations

import numpy as np
import pytest
from aiter_support import Job, Launch, Pointer, close, code_object, entry, needs_aiter

pytestmark = needs_aiter


@pytest.mark.parametrize("rows", [4, 12])
@pytest.mark.parametrize("experts", [128, 256])
@pytest.mark.parametrize("top", [6, 8])
@pytest.mark.parametrize("renormalize", [0, 1])
def test_top_gates(rows: int, experts: int, top: int, renormalize: int, job: Job) -> None:
    tokens = 3 * rows + 1
    rng = np.random.default_rng(experts + top)
    gates = rng.permuted(np.tile(np.linspace(-4, 4, experts), (tokens, 1)), axis=1)
    job.arrays = {
        "gates": gates.astype(np.float32),
        "chosen": np.full((tokens, top), -1, dtype=np.int32),
        "weights": np.zeros((tokens, top), dtype=np.float32),
    }
    name = f"topksoftmax_{rows}x{experts}x{top}"
    arguments = [Pointer(p) for p in ("chosen", "weights", "gates")]
    launch = Launch(
        code_object(f"topksoftmax/{name}.co"), entry(name), (-(-tokens // rows),), (256,),
        [*arguments, tokens, experts, top, renormalize, 4 * top],
    )  # fmt: skip
    found = job.run([launch])
    order = np.argsort(-gates, axis=1)[:, :top]
    share = np.exp(gates) / np.exp(gates).sum(axis=1, keepdims=True)
    expected = np.take_along_axis(share, order, axis=1)
    if renormalize:
        expected /= expected.sum(axis=1, keepdims=True)
    assert np.array_equal(found["chosen"], order)
    close(found["weights"], expected, relative=1e-5, absolute=0)
