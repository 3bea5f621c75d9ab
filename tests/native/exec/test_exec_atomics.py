"""Every atomic in global, flat, buffer and LDS form, against NumPy applied lane by lane."""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np
import pytest
from exec_memory_kernels import FILL, REGION, SPACES, memory_kernel, run
from exec_support import Code, build, needs_harness

pytestmark = needs_harness

Step = Callable[[int, int, int, int], int]  # (old, first operand, second operand, width)


def _signed(v: int, width: int) -> int:
    return v - (1 << width) if v >> (width - 1) else v


def _floats(width: int) -> np.dtype:
    return np.dtype(np.float32 if width == 32 else np.float64)


def _as_float(v: int, width: int) -> np.floating:
    return np.frombuffer(v.to_bytes(width // 8, "little"), _floats(width))[0]


def _bits(f: np.floating, width: int) -> int:
    return int.from_bytes(np.array(f, _floats(width)).tobytes(), "little")


def _float_step(f: Callable[[np.floating, np.floating], np.floating]) -> Step:
    return lambda old, a, b, w: _bits(f(_as_float(old, w), _as_float(a, w)), w)


def _packed_f16(old: int, a: int, b: int, width: int) -> int:
    x = np.frombuffer(old.to_bytes(4, "little"), np.float16)
    y = np.frombuffer(a.to_bytes(4, "little"), np.float16)
    return int.from_bytes((x + y).astype(np.float16).tobytes(), "little")


def _round_bf16(bits: int) -> int:
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _packed_bf16(old: int, a: int, b: int, width: int) -> int:
    result = 0
    for shift in (0, 16):
        x, y = (np.uint32((v >> shift & 0xFFFF) << 16).view(np.float32) for v in (old, a))
        result |= _round_bf16(int((x + y).view(np.uint32))) << shift
    return result


INTEGER: dict[str, Step] = {
    "swap": lambda old, a, b, w: a,
    "add": lambda old, a, b, w: old + a,
    "sub": lambda old, a, b, w: old - a,
    "smin": lambda old, a, b, w: min(_signed(old, w), _signed(a, w)),
    "umin": lambda old, a, b, w: min(old, a),
    "smax": lambda old, a, b, w: max(_signed(old, w), _signed(a, w)),
    "umax": lambda old, a, b, w: max(old, a),
    "and": lambda old, a, b, w: old & a,
    "or": lambda old, a, b, w: old | a,
    "xor": lambda old, a, b, w: old ^ a,
    "inc": lambda old, a, b, w: 0 if old >= a else old + 1,
    "dec": lambda old, a, b, w: a if old == 0 or old > a else old - 1,
    "cmpswap": lambda old, a, b, w: a if old == b else old,
}
ADD_F = _float_step(lambda x, y: x + y)
MIN_F, MAX_F = _float_step(min), _float_step(max)

# DS spells some operations differently and has some of its own.
DS: dict[str, tuple[Step, str]] = {
    "add": (INTEGER["add"], "u"),
    "sub": (INTEGER["sub"], "u"),
    "rsub": (lambda old, a, b, w: a - old, "u"),
    "inc": (INTEGER["inc"], "u"),
    "dec": (INTEGER["dec"], "u"),
    "min_i": (INTEGER["smin"], "i"),
    "max_i": (INTEGER["smax"], "i"),
    "min_u": (INTEGER["umin"], "u"),
    "max_u": (INTEGER["umax"], "u"),
    "and": (INTEGER["and"], "b"),
    "or": (INTEGER["or"], "b"),
    "xor": (INTEGER["xor"], "b"),
    "mskor": (lambda old, a, b, w: old & ~a | b, "b"),
    "cmpst": (lambda old, a, b, w: b if old == a else old, "b"),
    "add_f": (ADD_F, "f"),
    "min_f": (MIN_F, "f"),
    "max_f": (MAX_F, "f"),
    "cmpst_f": (lambda old, a, b, w: b if _as_float(old, w) == _as_float(a, w) else old, "f"),
    "wrxchg": (INTEGER["swap"], "b"),
    "wrap": (lambda old, a, b, w: old - a if old >= a else old + b, "b"),
}


class Case(NamedTuple):
    kernel: str
    space: str
    text: str
    step: Step
    width: int
    floating: bool
    returns: bool
    packed: bool = False


def _vgprs(first: int, dwords: int) -> str:
    return f"v{first}" if dwords == 1 else f"v[{first}:{first + dwords - 1}]"


def _memory_cases() -> list[Case]:
    cases = []
    named: list[tuple[str, Step, int, bool, bool]] = []
    for name, step in INTEGER.items():
        named += [(name, step, 32, False, False), (f"{name}_x2", step, 64, False, False)]
    named += [("add_f32", ADD_F, 32, True, False), ("add_f64", ADD_F, 64, True, False)]
    named += [("min_f64", MIN_F, 64, True, False), ("max_f64", MAX_F, 64, True, False)]
    named += [("pk_add_f16", _packed_f16, 32, True, True)]
    named += [("pk_add_bf16", _packed_bf16, 32, True, True)]
    for space in ("global_saddr", "global_vaddr", "flat", "flat_lds", "flat_private", "buffer"):
        prefix = SPACES[space].prefix
        for name, step, width, floating, packed in named:
            if prefix == "buffer" and name == "pk_add_bf16":
                continue  # not an instruction of this target
            operands = 2 if "cmpswap" in name else 1
            data = _vgprs(4, operands * width // 32)
            for returns in (False, True):
                address = SPACES[space].address.format(data=data) + SPACES[space].suffix
                if returns and prefix == "buffer":
                    address = address.replace(data, _vgprs(4, operands * width // 32), 1) + " sc0"
                    text = f"{prefix}_atomic_{name} {address}"
                elif returns:
                    text = f"{prefix}_atomic_{name} {_vgprs(12, width // 32)}, {address} sc0"
                else:
                    text = f"{prefix}_atomic_{name} {address}"
                kernel = f"{space}_{name}_{'rtn' if returns else 'no'}"
                # A buffer atomic returns into its data registers: move them to where results go.
                if returns and prefix == "buffer":
                    move = "\n  v_mov_b32 v12, v4" + (
                        "\n  v_mov_b32 v13, v5" if width == 64 else ""
                    )
                    text += "\n  s_waitcnt vmcnt(0)" + move
                cases.append(Case(kernel, space, text, step, width, floating, returns, packed))
    return cases


def _ds_cases() -> list[Case]:
    cases = []
    for name, (step, letter) in DS.items():
        stem = name[:-2] if name[-2:] in ("_i", "_u", "_f") else name
        for width in (32, 64):
            if name == "wrap" and width == 64:
                continue
            two = stem in ("mskor", "cmpst", "wrap")
            operands = f"v2, {_vgprs(4, width // 32)}"
            operands += f", {_vgprs(6, width // 32)}" if two else ""
            for returns in (False, True):
                if not returns and stem in ("wrxchg", "wrap"):
                    continue
                middle = "_rtn" if returns else ""
                target = f"{_vgprs(12, width // 32)}, " if returns else ""
                text = f"ds_{stem}{middle}_{letter}{width} {target}{operands}"
                kernel = f"ds_{name}_{width}_{'rtn' if returns else 'no'}"
                cases.append(Case(kernel, "ds", text, step, width, letter == "f", returns))
    for kind, step in (("f16", _packed_f16), ("bf16", _packed_bf16)):
        cases.append(
            Case(f"ds_pk_{kind}", "ds", f"ds_pk_add_{kind} v2, v4", step, 32, True, False, True)
        )
        text = f"ds_pk_add_rtn_{kind} v12, v2, v4"
        cases.append(Case(f"ds_pk_{kind}_rtn", "ds", text, step, 32, True, True, True))
    return cases


CASES = {case.kernel: case for case in _memory_cases() + _ds_cases()}


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    source = "".join(memory_kernel(c.kernel, c.space, c.text) for c in CASES.values())
    return build(source, tmp_path_factory.mktemp("atomics"), "assembler")


def _values(case: Case, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Bytes whose words are tame floats, or small and large integers that often collide."""
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape))
    if case.packed:
        halves = rng.integers(0x3C00, 0x4400, count * 2).astype(np.uint16)
        return halves.view(np.uint32).reshape(shape)
    if case.floating:
        values = rng.normal(size=count * 32 // case.width).astype(_floats(case.width))
        return values.view(np.uint32).reshape(shape)
    small = rng.integers(0, 4, count, dtype=np.uint32)
    return (
        np.where(rng.random(count) < 0.7, small, rng.integers(0, 1 << 32, count))
        .astype(np.uint32)
        .reshape(shape)
    )


def _word(row: np.ndarray, first: int, width: int) -> int:
    return int.from_bytes(row[first : first + width // 32].tobytes(), "little")


@pytest.mark.parametrize("name", CASES)
def test_atomic(code: Code, name: str) -> None:
    case = CASES[name]
    size = case.width // 8
    private = SPACES[case.space].private
    rng = np.random.default_rng(11)
    offsets = rng.integers(0, 3, 64) * size  # many lanes meet on the same words
    mask = 0xFFFF_0FFF_FFFF_7FFF
    region = _values(case, (REGION // 4,), 1).view(np.uint8).copy()
    data = _values(case, (64, 4), 2)
    second = 2 if case.space == "ds" else size // 4
    expected, returned = region.copy(), np.full((64, 4), FILL, np.uint32)
    for lane in range(64):
        if not mask >> lane & 1:
            continue
        at = int(offsets[lane]) + (lane * 64 if private else 0)
        old = int.from_bytes(expected[at : at + size].tobytes(), "little")
        a, b = _word(data[lane], 0, case.width), _word(data[lane], second, case.width)
        new = case.step(old, a, b, case.width) & (1 << case.width) - 1
        expected[at : at + size] = np.frombuffer(new.to_bytes(size, "little"), np.uint8)
        returned[lane, : size // 4] = np.frombuffer(old.to_bytes(size, "little"), np.uint32)
    outcome = run(code, case.kernel, region, offsets, data, mask)
    np.testing.assert_array_equal(outcome.region, expected)
    if case.returns:
        np.testing.assert_array_equal(outcome.results, returned)
