"""Our additions to the device library, compiled for the host and compared with exact arithmetic."""

from __future__ import annotations

import ctypes
import math
import platform
import subprocess
from fractions import Fraction
from typing import Union

import numpy as np
import pytest

from rocm_perf_lab.vrocm.sources import source_root
from rocm_perf_lab.vrocm.toolchain import find_toolchain

pytestmark = pytest.mark.native

C_TYPES = {
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "s32": ctypes.c_int32,
    "u32": ctypes.c_uint32,
    "s64": ctypes.c_int64,
    "u64": ctypes.c_uint64,
}
FLOATS = {"f32": np.float32, "f64": np.float64}
INTEGERS = [0, 1, -1, 3, 2**24, 2**24 + 1, -(2**24) - 1, 2**31 - 1, -(2**31), 2**32 - 1]
INTEGERS += [2**53 + 1, -(2**53) - 1, 2**62 + 12345, 2**63 - 1, -(2**63), 2**64 - 1]
DOUBLES = [0.0, 1.0, 1.1, -1.1, 1e-40, -1e-40, 1e-60, -1e-60, 3.4e38, 1e39, -1e39, 1 / 3]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("devicelib") / "convert.so"
    source = source_root() / "native" / "devicelib" / "convert.cl"
    flags = "-x cl -cl-std=CL2.0 -Xclang -finclude-default-header"
    flags += " -Xclang -cl-ext=+all"  # half and double are extensions that Arm does not name
    flags += f" -target {platform.machine()}-linux-gnu"
    flags += " -O2 -fPIC -shared -Wall -Wextra -Werror"
    clang = str(find_toolchain().tool("clang"))
    subprocess.run([clang, *flags.split(), str(source), "-o", str(out)], check=True)
    return ctypes.CDLL(str(out))


def directed(value: Fraction, mode: str, kind: type[np.floating]) -> Union[np.floating, float]:
    """The neighbour of an exact value below (n), above (p) or towards zero (z)."""
    largest = np.finfo(kind).max
    with np.errstate(over="ignore"):
        near = (
            kind(value)
            if abs(value) <= Fraction(float(largest))
            else kind(math.copysign(1, value)) * largest
        )
    down = mode == "n" or (mode == "z" and value > 0)
    if abs(value) > Fraction(float(largest)):
        away = (value > 0) != down
        return math.copysign(math.inf, value) if away else near
    exact = Fraction(float(near))
    if exact > value and down:
        return np.nextafter(near, kind(-np.inf))
    if exact < value and not down:
        return np.nextafter(near, kind(np.inf))
    return near


def convert(library: ctypes.CDLL, mode: str, to: str, source: str, value: float) -> float:
    function = getattr(library, f"__ocml_cvtrt{mode}_{to}_{source}")
    function.restype = C_TYPES[to]
    function.argtypes = [C_TYPES[source]]
    return float(function(value))


@pytest.mark.parametrize("mode", ["n", "p", "z"])
@pytest.mark.parametrize(
    ("to", "source"),
    [
        ("f32", "s32"),
        ("f32", "u32"),
        ("f32", "s64"),
        ("f32", "u64"),
        ("f64", "s64"),
        ("f64", "u64"),
    ],
)
def test_integers_round_as_told(library: ctypes.CDLL, mode: str, to: str, source: str) -> None:
    bits = 32 if source.endswith("32") else 64
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if source[0] == "s" else (0, 2**bits)
    for value in INTEGERS:
        if low <= value < high:
            expected = directed(Fraction(value), mode, FLOATS[to])
            assert convert(library, mode, to, source, value) == float(expected), value


@pytest.mark.parametrize("mode", ["n", "p", "z"])
def test_doubles_round_as_told(library: ctypes.CDLL, mode: str) -> None:
    for value in DOUBLES:
        expected = directed(Fraction(value), mode, np.float32)
        assert convert(library, mode, "f32", "f64", value) == float(expected), value
    assert math.isnan(convert(library, mode, "f32", "f64", math.nan))
    assert convert(library, mode, "f32", "f64", math.inf) == math.inf
