"""Types of elements: how their bytes become numbers, and what is one precision lower. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Optional

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.float64]

_BF16_DROPPED_BITS = 16  # of a float32


@dataclass(frozen=True)
class ElementType:
    name: str
    size: int
    kind: Literal["float", "integer"]
    mantissa: int = 0  # explicit bits

    @property
    def eps(self) -> float:
        """Distance of 1 to the next number."""
        return 2.0**-self.mantissa

    @property
    def lower_eps(self) -> float:
        """The same of the next lower precision."""
        return 2.0 ** -_LOWER_MANTISSA[self.name]

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_wide(self) -> bool:
        """Computing takes place in this type, not in a wider one."""
        return self.name in ("f32", "f64")

    def decode(self, data: Bytes) -> Numbers:
        """All whole elements as float64, which holds every one of them up to 53 bits."""
        whole = np.ascontiguousarray(data[: len(data) // self.size * self.size])
        with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
            if self.name == "bf16":
                wide = whole.view("<u2").astype(np.uint32) << np.uint32(_BF16_DROPPED_BITS)
                return np.asarray(wide.view(np.float32), dtype=np.float64)
            return np.asarray(whole.view(_NUMPY[self.name]), dtype=np.float64)

    def encode(self, numbers: Numbers) -> Bytes:
        """The nearest elements; what is too large becomes infinite."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            if self.name == "bf16":
                return _to_bf16(numbers).view(np.uint8)
            if not self.is_float:
                limits = np.iinfo(_NUMPY[self.name])
                numbers = np.clip(numbers, float(limits.min), float(limits.max))
            return numbers.astype(_NUMPY[self.name]).view(np.uint8)

    def lowered(self, numbers: Numbers) -> Numbers:
        """Rounded to the next lower precision: f64 to f32, f32 to f16's mantissa, f16 to bf16."""
        with np.errstate(all="ignore"):
            fraction, exponent = np.frexp(numbers)
            scale = 2.0 ** (_LOWER_MANTISSA[self.name] + 1)
            return np.asarray(np.ldexp(np.round(fraction * scale) / scale, exponent))

    def ulp(self, numbers: Numbers) -> Numbers:
        """The distance to the next number of this type."""
        with np.errstate(all="ignore"):
            finite = np.where(np.isfinite(numbers), numbers, 1.0)
            least = _LEAST_EXPONENT[self.name]
            exponent = np.where(finite == 0.0, least, np.frexp(finite)[1] - 1)
            return np.asarray(np.ldexp(1.0, np.maximum(exponent, least) - self.mantissa))


def _to_bf16(numbers: Numbers) -> NDArray[np.uint16]:
    bits = numbers.astype(np.float32).view(np.uint32).astype(np.uint64)
    nan = np.isnan(numbers)
    odd = (bits >> np.uint64(_BF16_DROPPED_BITS)) & np.uint64(1)
    rounded = (bits + np.uint64(0x7FFF) + odd) >> np.uint64(_BF16_DROPPED_BITS)
    return np.asarray(np.where(nan, np.uint64(0x7FC0), rounded), dtype="<u2")


F64 = ElementType("f64", 8, "float", 52)
F32 = ElementType("f32", 4, "float", 23)
F16 = ElementType("f16", 2, "float", 10)
BF16 = ElementType("bf16", 2, "float", 7)
_INTEGERS = tuple(
    ElementType(f"{sign}{8 * size}", size, "integer") for size in (1, 2, 4, 8) for sign in "iu"
)
# Where no type is known: pieces that hold whole elements of every plain type. They are not decoded.
UNKNOWN = ElementType("unknown", 8, "integer")
TYPES = {one.name: one for one in (F64, F32, F16, BF16, *_INTEGERS)}
_NUMPY = {name: np.dtype(f"<{name[0]}{one.size}") for name, one in TYPES.items() if name != "bf16"}
_LOWER_MANTISSA = {"f64": 23, "f32": 10, "f16": 7, "bf16": 3}
_LEAST_EXPONENT = {"f64": -1022, "f32": -126, "f16": -14, "bf16": -126}

_CPP_NAMES = {
    "float": "f32", "double": "f64", "_Float16": "f16", "__half": "f16", "half": "f16",
    "__hip_bfloat16": "bf16", "hip_bfloat16": "bf16", "__bf16": "bf16", "std::bfloat16_t": "bf16",
    "bool": "u8", "char": "i8", "signed char": "i8", "unsigned char": "u8", "short": "i16",
    "unsigned short": "u16", "int": "i32", "unsigned int": "u32", "long": "i64",
    "unsigned long": "u64", "long long": "i64", "unsigned long long": "u64",
}  # fmt: skip
_VECTOR = re.compile(r"^HIP_vector_type<(?P<element>[^,]+), \d+u>$")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel's signature."""

    pointer: bool
    const: bool  # what it points to is only read
    element: Optional[ElementType]  # None: no plain type


def parameters_of(signature: str) -> Optional[tuple[Parameter, ...]]:
    """``scale(float*, float const*, int)``: None when there is no list of types (extern "C")."""
    listed = _parameter_list(signature)
    if listed is None:
        return None
    return tuple(_parameter(text) for text in _split(listed) if text and text != "void")


def _parameter_list(signature: str) -> Optional[str]:
    """The last parentheses at the top level; a name alone has none."""
    end = signature.rfind(")")
    depth = 0
    for at in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(signature[at], 0)
        if depth == 0 and end >= 0:
            return signature[at + 1 : end]
    return None


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _parameter(text: str) -> Parameter:
    pointer = text.endswith("*")
    pointee = text[:-1].strip() if pointer else text
    words = pointee.split(" ")
    const = "const" in words
    plain = " ".join(word for word in words if word not in ("const", "volatile"))
    vector = _VECTOR.match(plain)
    name = _CPP_NAMES.get(vector.group("element") if vector else plain)
    return Parameter(pointer, pointer and const, None if name is None else TYPES[name])
