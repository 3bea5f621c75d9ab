"""IEEE arithmetic on bit patterns by exact rationals: slow, obvious, not the C++ code's method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Optional, Union

NEAREST, UP, DOWN, ZERO = range(4)  # MODE's round field


@dataclass(frozen=True)
class Format:
    """A binary interchange format; the device's default NaN is negative and quiet."""

    exponent_bits: int
    mantissa_bits: int

    @property
    def width(self) -> int:
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def bias(self) -> int:
        return int((1 << (self.exponent_bits - 1)) - 1)

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.mantissa_bits

    @property
    def quiet(self) -> int:
        return 1 << (self.mantissa_bits - 1)

    @property
    def default_nan(self) -> int:
        return self.sign | self.infinity | self.quiet

    @property
    def largest(self) -> int:
        return self.infinity - 1

    def field(self, bits: int) -> int:
        return (bits & ~self.sign) >> self.mantissa_bits


F16, F32, F64 = Format(5, 10), Format(8, 23), Format(11, 52)


def is_nan(f: Format, bits: int) -> bool:
    return (bits & ~f.sign) > f.infinity


def is_signaling(f: Format, bits: int) -> bool:
    return is_nan(f, bits) and not bits & f.quiet


def is_inf(f: Format, bits: int) -> bool:
    return (bits & ~f.sign) == f.infinity


def is_zero(f: Format, bits: int) -> bool:
    return (bits & ~f.sign) == 0


def is_denormal(f: Format, bits: int) -> bool:
    return f.field(bits) == 0 and not is_zero(f, bits)


def negative(f: Format, bits: int) -> bool:
    return bool(bits & f.sign)


def flush(f: Format, bits: int) -> int:
    return bits & f.sign if is_denormal(f, bits) else bits


def value(f: Format, bits: int) -> Fraction:
    """The exact value of a finite number."""
    exponent = f.field(bits)
    mantissa = bits & ((1 << f.mantissa_bits) - 1)
    if exponent:
        mantissa |= 1 << f.mantissa_bits
    scale = max(exponent, 1) - f.bias - f.mantissa_bits
    magnitude = Fraction(mantissa) * (Fraction(2) ** scale)
    return -magnitude if bits & f.sign else magnitude


def binary_exponent(x: Fraction) -> int:
    """The e with 2^e <= x < 2^(e+1)."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    while Fraction(2) ** e > x:
        e -= 1
    while Fraction(2) ** (e + 1) <= x:
        e += 1
    return e


def round_integer(x: Fraction, mode: int, is_negative: bool) -> int:
    """A non-negative rational to an integer; `is_negative` is the sign of what it stands for."""
    whole = x.numerator // x.denominator
    rest = x - whole
    if mode == NEAREST:
        half = Fraction(1, 2)
        return whole + int(rest > half or (rest == half and whole & 1 == 1))
    away = mode == (DOWN if is_negative else UP)
    return whole + int(away and rest > 0)


def encode(f: Format, x: Fraction, mode: int = NEAREST, zero_sign: bool = False) -> int:
    """`x` rounded by `mode`; `zero_sign` is the sign that an exact zero gets."""
    if x == 0:
        return f.sign if zero_sign else 0
    is_negative = x < 0
    sign = f.sign if is_negative else 0
    x = abs(x)
    unit = max(binary_exponent(x), 1 - f.bias) - f.mantissa_bits
    n = round_integer(x / Fraction(2) ** unit, mode, is_negative)
    bits = n + ((unit + f.mantissa_bits + f.bias - 1) << f.mantissa_bits)
    if bits >= f.infinity:
        stays = mode == ZERO or (mode == UP and is_negative) or (mode == DOWN and not is_negative)
        bits = f.largest if stays else f.infinity
    return sign | bits


def convert(source: Format, target: Format, bits: int, mode: int = NEAREST) -> int:
    sign = target.sign if negative(source, bits) else 0
    if is_nan(source, bits):
        shift = target.mantissa_bits - source.mantissa_bits
        payload = bits & ((1 << source.mantissa_bits) - 1)
        payload = payload << shift if shift >= 0 else payload >> -shift
        return sign | target.infinity | target.quiet | payload
    if is_inf(source, bits):
        return sign | target.infinity
    return encode(target, value(source, bits), mode, negative(source, bits))


def first_nan(f: Format, *sources: int) -> Optional[int]:
    for bits in sources:
        if is_nan(f, bits):
            return bits | f.quiet
    return None


def fma(f: Format, a: int, b: int, c: int, mode: int = NEAREST) -> int:
    """a * b + c rounded once."""
    nan = first_nan(f, a, b, c)
    if nan is not None:
        return nan
    product_negative = negative(f, a) != negative(f, b)
    if is_inf(f, a) or is_inf(f, b):
        if is_zero(f, a) or is_zero(f, b):
            return f.default_nan
        if is_inf(f, c) and negative(f, c) != product_negative:
            return f.default_nan
        return (f.sign if product_negative else 0) | f.infinity
    if is_inf(f, c):
        return c
    exact = value(f, a) * value(f, b) + value(f, c)
    product_zero = is_zero(f, a) or is_zero(f, b)
    if product_zero and is_zero(f, c) and product_negative == negative(f, c):
        zero_sign = product_negative
    else:
        zero_sign = mode == DOWN
    return encode(f, exact, mode, zero_sign)


def add(f: Format, a: int, b: int, mode: int = NEAREST) -> int:
    one = encode(f, Fraction(1))
    nan = first_nan(f, a, b)
    return fma(f, one, a, b, mode) if nan is None else nan


def subtract(f: Format, a: int, b: int, mode: int = NEAREST) -> int:
    nan = first_nan(f, a, b)
    return add(f, a, b ^ f.sign, mode) if nan is None else nan


def multiply(f: Format, a: int, b: int, mode: int = NEAREST) -> int:
    nan = first_nan(f, a, b)
    if nan is not None:
        return nan
    if is_inf(f, a) or is_inf(f, b):
        if is_zero(f, a) or is_zero(f, b):
            return f.default_nan
        return ((a ^ b) & f.sign) | f.infinity
    return encode(f, value(f, a) * value(f, b), mode, bool((a ^ b) & f.sign))


def compare(f: Format, a: int, b: int) -> Optional[int]:
    """-1, 0, 1, or None when unordered."""
    if is_nan(f, a) or is_nan(f, b):
        return None
    x, y = order(f, a), order(f, b)
    return (x > y) - (x < y)


def order(f: Format, bits: int) -> int:
    """An integer that sorts as the numbers do, with both zeros equal."""
    magnitude = bits & ~f.sign
    return -magnitude if bits & f.sign else magnitude


def minimum(f: Format, a: int, b: int, ieee: bool) -> int:
    return _extreme(f, a, b, ieee, lambda x, y: x < y, lambda bits: negative(f, bits))


def maximum(f: Format, a: int, b: int, ieee: bool) -> int:
    return _extreme(f, a, b, ieee, lambda x, y: x > y, lambda bits: not negative(f, bits))


def _extreme(
    f: Format,
    a: int,
    b: int,
    ieee: bool,
    better: Callable[[int, int], bool],
    preferred_zero: Callable[[int], bool],
) -> int:
    for bits in (a, b):
        if ieee and is_signaling(f, bits):
            return bits | f.quiet
    if is_nan(f, a):
        return b
    if is_nan(f, b):
        return a
    if is_zero(f, a) and is_zero(f, b):
        return a if preferred_zero(a) else b
    return a if better(order(f, a), order(f, b)) else b


def median(f: Format, a: int, b: int, c: int, ieee: bool) -> int:
    if any(is_nan(f, bits) for bits in (a, b, c)):
        return minimum(f, minimum(f, a, b, ieee), c, ieee)
    largest = maximum(f, maximum(f, a, b, ieee), c, ieee)
    if compare(f, largest, a) == 0:
        return maximum(f, b, c, ieee)
    if compare(f, largest, b) == 0:
        return maximum(f, a, c, ieee)
    return maximum(f, a, b, ieee)


def to_integral(f: Format, bits: int, how: str) -> int:
    """trunc, ceil, floor or rndne; the sign survives on zeros."""
    if is_nan(f, bits):
        return bits | f.quiet
    if is_inf(f, bits):
        return bits
    x = value(f, bits)
    if how == "rndne":
        n = round_integer(abs(x), NEAREST, False) * (-1 if x < 0 else 1)
    elif how == "trunc":
        n = int(x)
    else:
        n = x.numerator // x.denominator
        n += int(how == "ceil" and x != n)
    return encode(f, Fraction(n), NEAREST, negative(f, bits))


def square_root(f: Format, bits: int) -> int:
    if is_nan(f, bits):
        return bits | f.quiet
    if is_zero(f, bits):
        return bits
    if negative(f, bits):
        return f.default_nan
    if is_inf(f, bits):
        return bits
    return encode(f, sqrt_approximation(value(f, bits)))


def sqrt_approximation(x: Fraction) -> Fraction:
    """Far more digits than any format has; never exactly a tie unless the root is rational."""
    shift = 1200
    scaled = (x.numerator << (2 * shift)) // x.denominator
    root = isqrt(scaled)
    exact = root * root == scaled and (x.numerator << (2 * shift)) % x.denominator == 0
    return Fraction(2 * root + (0 if exact else 1), 1 << (shift + 1))


def reciprocal(f: Format, bits: int) -> int:
    if is_nan(f, bits):
        return bits | f.quiet
    sign = bits & f.sign
    if is_zero(f, bits):
        return sign | f.infinity
    if is_inf(f, bits):
        return sign
    return encode(f, 1 / value(f, bits))


def ldexp(f: Format, bits: int, n: int, mode: int = NEAREST) -> int:
    if is_nan(f, bits):
        return bits | f.quiet
    if is_inf(f, bits) or is_zero(f, bits):
        return bits
    n = max(-5000, min(5000, n))
    return encode(f, value(f, bits) * Fraction(2) ** n, mode)


def to_integer(f: Format, bits: int, low: int, high: int) -> int:
    """Truncated and saturated; NaN is 0."""
    if is_nan(f, bits):
        return 0
    if is_inf(f, bits):
        return low if negative(f, bits) else high
    return max(low, min(high, int(value(f, bits))))


def ulp_distance(f: Format, a: int, b: int) -> Union[int, float]:
    if is_nan(f, a) or is_nan(f, b):
        return 0 if is_nan(f, a) and is_nan(f, b) else float("inf")
    return abs(order(f, a) - order(f, b))
