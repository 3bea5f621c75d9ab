"""What a language model is to us: messages in, one text out, with what it cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

_BYTES_PER_TOKEN = 3.5  # of source text; measured ones are 3 to 4, so that this errs upwards


@dataclass(frozen=True)
class Message:
    role: str  # "system" or "user"
    text: str


@dataclass(frozen=True)
class ReplyLimits:
    """Of one reply. What is longer or later is not a reply."""

    seconds: float = 300.0  # in all, retries and waiting included
    tokens: int = 16384  # that the model may write
    bytes: int = 4 << 20  # of what arrives, wrapping included


@dataclass(frozen=True)
class Usage:
    """``counted``: by the provider. Otherwise it is our estimate from the length of the texts."""

    prompt_tokens: int
    reply_tokens: int
    counted: bool


@dataclass(frozen=True)
class Reply:
    text: str
    usage: Usage
    model: str  # as the provider names it
    finish: str  # its word for why it stopped: "stop", "length", ...


class Provider(Protocol):
    @property
    def name(self) -> str:
        """For people and evidence; it holds no secret."""
        ...

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that must be written nowhere, whoever says them."""
        ...

    def complete(self, messages: Sequence[Message], limits: ReplyLimits) -> Reply:
        """Raises ``ProviderFailed``; its ``kind`` says how."""
        ...


def estimated_tokens(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN)


def estimated_usage(messages: Sequence[Message], reply: str) -> Usage:
    prompt = sum(estimated_tokens(message.text) for message in messages)
    return Usage(prompt, estimated_tokens(reply), counted=False)
