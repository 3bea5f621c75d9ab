"""Attention of one token per sequence to keys and values in pages of 16 tokens."""

from __future__ import annotations

import numpy as np
import pytest
from aiter_support import (
    FP8,
    Job,
    Launch,
    Pointer,
    argument_names,
    close,
    code_object,
    entry,
    from_bf16,
    needs_aiter,
    random_fp8,
    to_bf16,
)

pytestmark = needs_aiter

PAGE, HEAD, KV_HEADS = 16, 128, 2
LENGTHS = (37, 300, 16)
LOG2_E = 1.4426950408889634


def pages_of_keys(keys: np.ndarray) -> np.ndarray:
    """[page, token, head, dimension] -> pieces of 16 bytes of a token lie one page apart."""
    pages, tokens, heads, size = keys.shape
    piece = 16 // keys.itemsize
    parts = keys.reshape(pages, tokens, heads, size // piece, piece)
    return np.ascontiguousarray(parts.transpose(0, 2, 3, 1, 4))


def pages_of_values(values: np.ndarray) -> np.ndarray:
    """Pieces of 16 bytes hold one dimension of neighbouring tokens."""
    pages, tokens, heads, size = values.shape
    piece = 16 // values.itemsize
    parts = values.reshape(pages, tokens // piece, piece, heads, size)
    return np.ascontiguousarray(parts.transpose(0, 3, 1, 4, 2))


def expected_of(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, tables: np.ndarray, group: int
) -> np.ndarray:
    """q: [sequence, head, dimension]; k, v: [page, token, head, dimension]."""
    results = np.zeros_like(q)
    for s, length in enumerate(LENGTHS):
        keys, values = (
            np.repeat(x[tables[s]].reshape(-1, KV_HEADS, HEAD)[:length], group, axis=1)
            for x in (k, v)
        )
        scores = np.einsum("hd,thd->ht", q[s], keys) * HEAD**-0.5
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        results[s] = np.einsum("ht,thd->hd", weights, values)
    return results


def _tables(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    most = -(-max(LENGTHS) // PAGE)
    pages = len(LENGTHS) * most
    return rng.permutation(pages).astype(np.int32).reshape(len(LENGTHS), most), pages


def _launch(name: str, job: Job, group: int, bytes_per_element: int) -> Launch:
    head = PAGE * HEAD * bytes_per_element
    scales = [Pointer(n if n in job.arrays else None) for n in ("k_scale", "v_scale")]
    code = code_object(f"pa/{name}.co")
    several = [0] if "mtp" in argument_names(code) else []  # tokens at once: later versions
    arguments = [
        *(Pointer(n) for n in ("o", "q", "k", "v", "tables", "lengths")), *scales,
        LOG2_E * HEAD**-0.5, job.arrays["tables"].shape[1], KV_HEADS,
        2 * KV_HEADS * group * HEAD, KV_HEADS * head, head, *several, group,
        Pointer(None),
    ]  # fmt: skip
    grid = (KV_HEADS, len(LENGTHS))
    return Launch(code, entry(name), grid, (256,), arguments)


@pytest.mark.parametrize("group", [8, 16])
@pytest.mark.parametrize("number", ["bf16", "fp16"])
def test_plain(group: int, number: str, job: Job) -> None:
    rng = np.random.default_rng(19)
    tables, pages = _tables(rng)
    to = to_bf16 if number == "bf16" else (lambda x: x.astype(np.float16))
    back = from_bf16 if number == "bf16" else (lambda x: x.astype(np.float32))
    q = to(rng.normal(size=(len(LENGTHS), KV_HEADS * group, HEAD)))
    k, v = (to(rng.normal(size=(pages, PAGE, KV_HEADS, HEAD))) for _ in range(2))
    job.arrays = {
        "q": q, "k": pages_of_keys(k), "v": pages_of_values(v), "o": np.zeros_like(q),
        "tables": tables, "lengths": np.array(LENGTHS, dtype=np.int32),
    }  # fmt: skip
    found = job.run([_launch(f"pa_{number}_noquant_gqa{group}_1tg_4w", job, group, 2)])["o"]
    expected = expected_of(*(back(x).astype(np.float64) for x in (q, k, v)), tables, group)
    close(back(found), expected, relative=2.0**-6, absolute=2.0**-6)


@pytest.mark.parametrize("group", [8, 16])
@pytest.mark.parametrize("kind", ["Fp8", "Int8"])
def test_quantized_per_token(group: int, kind: str, job: Job) -> None:
    rng = np.random.default_rng(23)
    tables, pages = _tables(rng)
    shape = (pages, PAGE, KV_HEADS, HEAD)
    if kind == "Fp8":
        k, v = random_fp8(rng, shape, most=4), random_fp8(rng, shape, most=4)
        values = [FP8[x].astype(np.float64) for x in (k, v)]
    else:
        k, v = (rng.integers(-127, 128, shape).astype(np.int8) for _ in range(2))
        values = [x / 64 for x in (k, v)]
    scales = [rng.uniform(0.5, 1, (pages, KV_HEADS, PAGE)).astype(np.float32) for _ in range(2)]
    unit = 1 if kind == "Fp8" else 1 / 64
    q = to_bf16(rng.normal(size=(len(LENGTHS), KV_HEADS * group, HEAD)))
    job.arrays = {
        "q": q, "k": pages_of_keys(k), "v": pages_of_values(v), "o": np.zeros_like(q),
        "tables": tables, "lengths": np.array(LENGTHS, dtype=np.int32),
        "k_scale": (scales[0] * unit).astype(np.float32),
        "v_scale": (scales[1] * unit).astype(np.float32),
    }  # fmt: skip
    found = job.run([_launch(f"pa_bf16_pertoken{kind}_gqa{group}_2tg_4w", job, group, 1)])["o"]
    k, v = (x * s.transpose(0, 2, 1)[..., None] for x, s in zip(values, scales))
    expected = expected_of(from_bf16(q).astype(np.float64), k, v, tables, group)
    # The kernels round weights, and with Int8 queries as well, to 8 bits.
    close(from_bf16(found), expected, relative=0.05, absolute=0.05)
