"""What a search may cost in tokens, money and time, and what it has cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Optional, Union

from rocm_perf_lab.optimize.providers.provider import ReplyLimits, Usage

LEAST_REPLY_TOKENS = 256  # no kernel fits into less; asking for it would be wasted


@dataclass(frozen=True)
class Prices:
    """Per million tokens, in whatever currency the user counts."""

    prompt: float
    reply: float

    def of(self, prompt_tokens: float, reply_tokens: float) -> float:
        return (prompt_tokens * self.prompt + reply_tokens * self.reply) / 1e6


@dataclass(frozen=True)
class Ceilings:
    """None: no limit."""

    tokens: Optional[int] = None  # of prompts and replies together
    cost: Optional[float] = None
    prices: Optional[Prices] = None
    seconds: Optional[float] = None


class Budget:
    """Asked before each request, so that a limit is kept and not only noticed."""

    def __init__(self, ceilings: Ceilings, clock: Callable[[], float] = time.monotonic) -> None:
        self._ceilings, self._clock = ceilings, clock
        self._start = clock()
        self.prompt_tokens = 0
        self.reply_tokens = 0
        self.requests = 0
        self.counted = True  # by the provider, all of them

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.reply_tokens

    @property
    def cost(self) -> Optional[float]:
        prices = self._ceilings.prices
        return None if prices is None else prices.of(self.prompt_tokens, self.reply_tokens)

    @property
    def seconds_left(self) -> Optional[float]:
        seconds = self._ceilings.seconds
        return None if seconds is None else seconds - (self._clock() - self._start)

    def charge(self, usage: Usage) -> None:
        self.requests += 1
        self.prompt_tokens += usage.prompt_tokens
        self.reply_tokens += usage.reply_tokens
        self.counted = self.counted and usage.counted

    def limits(self, prompt_tokens: int, wanted: ReplyLimits) -> Union[ReplyLimits, str]:
        """``wanted``, made smaller until it fits; or which budget is used up."""
        left = self.seconds_left
        if left is not None and left <= 0:
            return f"the {self._ceilings.seconds:g} s of --budget are over"
        tokens = min([wanted.tokens, *self._affordable(prompt_tokens)])
        if tokens < LEAST_REPLY_TOKENS:
            return self._used_up(prompt_tokens)
        seconds = wanted.seconds if left is None else min(wanted.seconds, left)
        return replace(wanted, tokens=tokens, seconds=seconds)

    def _affordable(self, prompt_tokens: int) -> list[int]:
        """Reply tokens that each of the ceilings leaves."""
        found, ceilings = [], self._ceilings
        if ceilings.tokens is not None:
            found.append(ceilings.tokens - self.tokens - prompt_tokens)
        if ceilings.cost is not None and ceilings.prices is not None:
            money = ceilings.cost - (self.cost or 0.0) - ceilings.prices.of(prompt_tokens, 0)
            per_token = ceilings.prices.of(0, 1)
            found.append(int(money / per_token) if per_token else (0 if money < 0 else 1 << 31))
        return found

    def _used_up(self, prompt_tokens: int) -> str:
        ceilings = self._ceilings
        about = f"the next prompt has about {prompt_tokens} tokens"
        if ceilings.tokens is not None and (
            ceilings.tokens - self.tokens - prompt_tokens < LEAST_REPLY_TOKENS
        ):
            return f"{self.tokens} of {ceilings.tokens} tokens of --max-tokens are used; {about}"
        return f"{self.cost or 0:.4g} of {ceilings.cost:.4g} of --max-cost are spent; {about}"
