"""Asking again: after 429, 5xx and lost connections, later and later, within the deadline."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable
from typing import Optional, TypeVar

from rocm_perf_lab.errors import ProviderFailed
from rocm_perf_lab.optimize.providers.http_stream import StatusFailed

_PASSING = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))  # 529: Anthropic is overloaded
_MOST_TRIES = 4
_FIRST_WAIT_S = 1.0

Answer = TypeVar("Answer")


def with_retries(ask: Callable[[float], Answer], seconds: float) -> Answer:
    """``ask`` gets the seconds that are left. The last failure is raised, with how often it was
    tried."""
    end = time.monotonic() + seconds
    for attempt in range(1, _MOST_TRIES + 1):
        try:
            return ask(end - time.monotonic())
        except ProviderFailed as error:
            wait = _wait(error, attempt)
            if wait is None or attempt == _MOST_TRIES:
                raise _told(error, attempt) from error
            if time.monotonic() + wait >= end:
                error.cause += f"; it wants {wait:.0f} s, more than is left for a reply"
                raise _told(error, attempt) from error
            pause(wait)
    raise AssertionError("the last attempt returns or raises")


def pause(seconds: float) -> None:
    time.sleep(seconds)


def _wait(error: ProviderFailed, attempt: int) -> Optional[float]:
    """None: asking again would not help."""
    own = _FIRST_WAIT_S * (1 << (attempt - 1))
    if isinstance(error, StatusFailed):
        if error.status not in _PASSING:
            return None
        return max(own, seconds_of(error.retry_after))
    return own if error.kind == "connection" else None


def seconds_of(retry_after: Optional[str], now: Callable[[], float] = time.time) -> float:
    """RFC 9110: a number of seconds, or a date. 0 for anything else."""
    text = (retry_after or "").strip()
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - now())
    except (TypeError, ValueError, IndexError):
        return 0.0


def _told(error: ProviderFailed, attempts: int) -> ProviderFailed:
    if attempts > 1:
        error.cause += f" (tried {attempts} times)"
    return error
