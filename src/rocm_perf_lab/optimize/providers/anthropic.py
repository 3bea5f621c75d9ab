"""Anthropic's messages interface, version 2023-06-01."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from rocm_perf_lab.errors import ProviderFailed
from rocm_perf_lab.optimize.providers.endpoint import Endpoint, events
from rocm_perf_lab.optimize.providers.http_stream import post_lines
from rocm_perf_lab.optimize.providers.provider import (
    Message,
    Reply,
    ReplyLimits,
    Usage,
    estimated_usage,
)
from rocm_perf_lab.optimize.providers.retry import with_retries

BASE_URL = "https://api.anthropic.com"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
_VERSION = "2023-06-01"


@dataclass(frozen=True)
class Anthropic:
    endpoint: Endpoint
    model: str
    temperature: Optional[float] = None  # None: the model's own

    @property
    def name(self) -> str:
        return f"{self.model} at {self.endpoint.shown}"

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.endpoint.key,) if self.endpoint.key else ()

    def complete(self, messages: Sequence[Message], limits: ReplyLimits) -> Reply:
        return with_retries(lambda left: self._asked(messages, limits, left), limits.seconds)

    def _asked(self, messages: Sequence[Message], limits: ReplyLimits, seconds: float) -> Reply:
        headers = {"anthropic-version": _VERSION}
        if self.endpoint.key:
            headers["x-api-key"] = self.endpoint.key
        body = self._body(messages, limits)
        url = f"{self.endpoint.base_url}/v1/messages"
        with contextlib.closing(post_lines(url, headers, body, seconds, limits.bytes)) as lines:
            return _read(events(lines), messages, self.model)

    def _body(self, messages: Sequence[Message], limits: ReplyLimits) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "system": "\n\n".join(m.text for m in messages if m.role == "system"),
            "messages": [
                {"role": m.role, "content": m.text} for m in messages if m.role != "system"
            ],
            "max_tokens": limits.tokens,
            "stream": True,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        return body


def _read(
    found: Iterable[Mapping[str, Any]], messages: Sequence[Message], asked_model: str
) -> Reply:
    pieces: list[str] = []
    finish, ended, model = "", False, asked_model
    tokens: dict[str, int] = {}
    for event in found:
        kind = event.get("type")
        if kind == "message_start":
            start = event.get("message") or {}
            model = str(start.get("model") or model)
            _count(tokens, start.get("usage"))
        elif kind == "content_block_delta":
            pieces.append((event.get("delta") or {}).get("text") or "")
        elif kind == "message_delta":
            finish = str((event.get("delta") or {}).get("stop_reason") or finish)
            _count(tokens, event.get("usage"))
        elif kind == "message_stop":
            ended = True
        elif kind == "message":  # a server that does not stream
            blocks = event.get("content") or ()
            pieces += [block.get("text") or "" for block in blocks]
            finish, ended = str(event.get("stop_reason") or finish), True
            _count(tokens, event.get("usage"))
    text = "".join(pieces)
    if not ended:
        raise ProviderFailed("connection", f"the stream ended after {len(text)} characters")
    usage = estimated_usage(messages, text)
    if {"input_tokens", "output_tokens"} <= tokens.keys():
        usage = Usage(tokens["input_tokens"], tokens["output_tokens"], counted=True)
    return Reply(text, usage, model, finish or "end_turn")


def _count(tokens: dict[str, int], usage: object) -> None:
    if isinstance(usage, dict):
        tokens.update({name: n for name, n in usage.items() if isinstance(n, int)})
