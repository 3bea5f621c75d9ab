"""Mixtures of experts in one kernel: two products of the tokens that chose an expert, an activation
between them; results are added up with the weights of the choice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from aiter_support import (
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
    to_bf16,
)

pytestmark = needs_aiter

TOKENS, EXPERTS, TOP, BLOCK = 24, 3, 2, 32
Activation = Callable[[np.ndarray], np.ndarray]


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = {"silu": silu, "gelu": gelu}


def sorted_choice(chosen: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Tokens by expert in blocks of BLOCK, filled up with a token that there is not."""
    tokens, top = chosen.shape
    ids, shares, experts = [], [], []
    for expert in range(EXPERTS):
        token, place = np.nonzero(chosen == expert)
        missing = -len(token) % BLOCK
        ids += [*(token | place << 24), *[tokens | top << 24] * missing]
        shares += [*weights[token, place], *[0.0] * missing]
        experts += [expert] * ((len(token) + missing) // BLOCK)
    return {
        "ids": np.array(ids, dtype=np.int32), "shares": np.array(shares, dtype=np.float32),
        "experts": np.array(experts, dtype=np.int32),
        "valid": np.array([len(ids), tokens], dtype=np.int32),
    }  # fmt: skip


def choose(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    chosen = np.argsort(rng.random((TOKENS, EXPERTS)), axis=1)[:, :TOP]
    weights = rng.random((TOKENS, TOP))
    return chosen, (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def mixture(
    x: np.ndarray, first: np.ndarray, second: np.ndarray, chosen: np.ndarray,
    weights: np.ndarray, activation: Activation,
) -> np.ndarray:  # fmt: skip
    """``first`` has the inputs of a gate and behind them what passes it, or these alone."""
    inner = second.shape[2]
    result = np.zeros((len(x), second.shape[1]))
    for place in range(chosen.shape[1]):
        for token, expert in enumerate(chosen[:, place]):
            hidden = first[expert] @ x[token]
            passed = activation(hidden[:inner])
            if len(hidden) > inner:
                passed = passed * hidden[inner:]
            result[token] += weights[token, place] * (second[expert] @ passed)
    return result


def launch(
    name: str, folder: str, job: Job, inner: int, wide: int, bytes_: int, cols: int
) -> Launch:
    """``cols``: of the inner dimension that a workgroup has; ``wide`` rows of the first weights."""
    arrays = job.arrays
    dim = arrays["out"].shape[1]
    optional = [Pointer(n if n in arrays else None) for n in ("x_scale", "w1_scale", "w2_scale")]
    scale_bytes = [arrays[n][0].nbytes if n in arrays else 0 for n in ("w1_scale", "w2_scale")]
    arguments = [
        *(Pointer(n) for n in ("out", "x", "w1", "valid", "w2")), *optional, Pointer(None),
        *(Pointer(n) for n in ("ids", "shares", "experts")),
        dim, inner, TOKENS, EXPERTS, dim * bytes_, dim * bytes_, inner * bytes_, 2 * dim,
        wide * dim * bytes_, dim * inner * bytes_, *scale_bytes, 4 * inner, TOP, 0,
        -(-inner // cols),
    ]  # fmt: skip
    grid = (-(-inner // cols), len(arrays["experts"]))
    return Launch(code_object(f"{folder}/{name}.co"), entry(name), grid, (256,), arguments)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_bf16(activation: str, job: Job) -> None:
    dim, inner = 512, 512
    rng = np.random.default_rng(31)
    x = to_bf16(rng.normal(size=(TOKENS, dim)))
    w1 = to_bf16(rng.normal(size=(EXPERTS, inner, dim)) * dim**-0.5)
    w2 = to_bf16(rng.normal(size=(EXPERTS, dim, inner)) * inner**-0.5)
    chosen, weights = choose(rng)
    job.arrays = {
        "x": x, "w1": shuffled(w1), "w2": shuffled(w2), **sorted_choice(chosen, weights),
        "out": np.zeros((TOKENS, dim), dtype=np.uint16),
    }  # fmt: skip
    name = f"fmoe_bf16_noquantBf16_g1u0_vs_atm_inlv_{activation}_1tg_32x512"
    found = job.run([launch(name, f"fmoe/{activation}", job, inner, inner, 2, 512)])["out"]
    values = (from_bf16(a).astype(np.float64) for a in (x, w1, w2))
    expected = mixture(*values, chosen, weights, ACTIVATIONS[activation])
    close(from_bf16(found), expected, relative=2.0**-6, absolute=2.0**-5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("skips", "columns"), [("", 128), ("vs_", 192), ("vs_", 256), ("", 320), ("vs_", 512)]
)
def test_fp8_with_a_gate(activation: str, skips: str, columns: int, job: Job) -> None:
    """``skips``: by s_setvskip. ``vs_..._32x128`` is no case: it never writes most results."""
    dim, inner = 512, 2 * columns
    rng = np.random.default_rng(37)
    x = random_fp8(rng, (TOKENS, dim))
    w1, w2 = random_fp8(rng, (EXPERTS, 2 * inner, dim)), random_fp8(rng, (EXPERTS, dim, inner))
    x_scale = rng.uniform(0.5, 1, (TOKENS, 1)).astype(np.float32)
    w1_scale = (rng.uniform(0.5, 1, (EXPERTS, 2 * inner, 1)) * dim**-0.5).astype(np.float32)
    w2_scale = (rng.uniform(0.5, 1, (EXPERTS, dim, 1)) * inner**-0.5).astype(np.float32)
    chosen, weights = choose(rng)
    job.arrays = {
        "x": x, "w1": shuffled(w1), "w2": shuffled(w2), "x_scale": x_scale,
        "w1_scale": w1_scale, "w2_scale": w2_scale, **sorted_choice(chosen, weights),
        "out": np.zeros((TOKENS, dim), dtype=np.uint16),
    }  # fmt: skip
    name = f"fmoe_bf16_pertokenFp8_g1u1_{skips}{activation}_1tg_32x{columns}"
    found = job.run([launch(name, f"fmoe/{activation}", job, inner, 2 * inner, 1, columns)])["out"]
    expected = mixture(
        FP8[x] * x_scale.astype(np.float64), FP8[w1] * w1_scale, FP8[w2] * w2_scale, chosen,
        weights, ACTIVATIONS[activation],
    )  # fmt: skip
    # What lies between the two products keeps 4 bits: by chance it is off by 0.03 of itself, and so
    # are sums of it. None of these thousands is off by eight times that.
    close(from_bf16(found), expected, relative=0, absolute=0.25 * float(expected.std()))


@pytest.mark.parametrize("kind", ["Fp8", "Int8"])
@pytest.mark.parametrize("tile", ["32x128_3tg_pf2", "32x256_2tg_pf3", "32x512_pf2"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_first_of_two_stages(kind: str, tile: str, activation: str, job: Job) -> None:
    """The first product with its activation, for every choice of every token."""
    dim, inner = 512, 512
    rng = np.random.default_rng(43)
    if kind == "Fp8":
        x, w1 = random_fp8(rng, (TOKENS, dim)), random_fp8(rng, (EXPERTS, 2 * inner, dim))
        values = [FP8[a].astype(np.float64) for a in (x, w1)]
    else:
        x = rng.integers(-127, 128, (TOKENS, dim)).astype(np.int8)
        w1 = rng.integers(-127, 128, (EXPERTS, 2 * inner, dim)).astype(np.int8)
        values = [a / 64 for a in (x, w1)]
    unit = 1 if kind == "Fp8" else 1 / 64
    scales = [rng.uniform(0.5, 1, s) for s in ((TOKENS, 1), (EXPERTS, 2 * inner, 1))]
    scales[1] *= dim**-0.5
    chosen, weights = choose(rng)
    job.arrays = {
        "x": x, "w1": shuffled(w1), "x_scale": (scales[0] * unit).astype(np.float32),
        "w1_scale": (scales[1] * unit).astype(np.float32), **sorted_choice(chosen, weights),
        "out": np.zeros((TOKENS, TOP, inner), dtype=np.uint16),
    }  # fmt: skip
    name = f"fmoe_stage1_bf16_pertoken{kind}_g1u1_{tile}"
    columns = int(tile.split("_")[0].split("x")[1])
    arguments = [
        *(Pointer(n) for n in ("out", "x", "w1", "valid", "x_scale", "w1_scale")), Pointer(None),
        Pointer("ids"), Pointer("experts"), dim, inner, TOKENS, EXPERTS, dim, dim,
        2 * TOP * inner, 2 * inner * dim, 4 * 2 * inner, 4 * inner, TOP, 0,
        list(ACTIVATIONS).index(activation), Pointer(None),
    ]  # fmt: skip
    grid = (inner // columns, len(job.arrays["experts"]))
    code = code_object(f"fmoe_2stages/{name}.co")
    found = from_bf16(job.run([Launch(code, entry(name), grid, (256,), arguments)])["out"])
    hidden = np.einsum("tpid,td->tpi", (values[1] * scales[1])[chosen], values[0] * scales[0])
    expected = ACTIVATIONS[activation](hidden[..., :inner]) * hidden[..., inner:]
    close(found, expected, relative=2.0**-6, absolute=2.0**-7 * float(expected.std()))
