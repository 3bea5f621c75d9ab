"""Kineto's times: microseconds with three digits behind the point, as nanoseconds."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Any

from rocm_perf_lab.trace.model import UNKNOWN

_LARGEST = 1 << 62
_DIGITS = 3
_MOST_DIGITS = 20


def nanoseconds(microseconds: Any) -> int:
    """``UNKNOWN`` for what is no time. Text, not a float: that has too few digits."""
    if isinstance(microseconds, str):
        whole, _, fraction = microseconds.partition(".")
        digits = whole + fraction
        if len(fraction) <= _DIGITS and len(digits) < _MOST_DIGITS and _is_number(whole, digits):
            value = int(whole) * 1000 + int(fraction.ljust(_DIGITS, "0"))
        else:
            value = _by_decimal(microseconds)
    elif isinstance(microseconds, int) and not isinstance(microseconds, bool):
        value = microseconds * 1000
    else:
        return UNKNOWN
    return value if 0 <= value <= _LARGEST else UNKNOWN


def _is_number(whole: str, digits: str) -> bool:
    return bool(whole) and digits.isascii() and digits.isdigit()


def _by_decimal(text: str) -> int:
    try:
        number = Decimal(text) * 1000
        if not number.is_finite() or number.adjusted() > len(str(_LARGEST)):
            return UNKNOWN
        return int(number.quantize(Decimal(1), ROUND_HALF_EVEN))
    except (InvalidOperation, ValueError):
        return UNKNOWN
