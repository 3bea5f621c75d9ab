"""Any server that speaks OpenAI's chat completions: OpenAI itself, vLLM, llama.cpp, Ollama, ..."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from rocm_perf_lab.errors import ProviderFailed
from rocm_perf_lab.optimize.providers.endpoint import Endpoint, events
from rocm_perf_lab.optimize.providers.http_stream import StatusFailed, post_lines
from rocm_perf_lab.optimize.providers.provider import (
    Message,
    Reply,
    ReplyLimits,
    Usage,
    estimated_usage,
)
from rocm_perf_lab.optimize.providers.retry import with_retries

BASE_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
DEFAULT_TEMPERATURE = 0.2


@dataclass
class OpenAiCompatible:
    endpoint: Endpoint
    model: str
    temperature: Optional[float] = None  # None: ours, or the model's own where it has no other
    _other: dict[str, Any] = field(default_factory=dict)  # what this server wants differently

    @property
    def name(self) -> str:
        return f"{self.model} at {self.endpoint.shown}"

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.endpoint.key,) if self.endpoint.key else ()

    def complete(self, messages: Sequence[Message], limits: ReplyLimits) -> Reply:
        return with_retries(lambda left: self._asked(messages, limits, left), limits.seconds)

    def _asked(self, messages: Sequence[Message], limits: ReplyLimits, seconds: float) -> Reply:
        while True:
            body = self._body(messages, limits)
            try:
                url = f"{self.endpoint.base_url}/chat/completions"
                answer = post_lines(url, self._headers(), body, seconds, limits.bytes)
                with contextlib.closing(answer) as lines:
                    return _read(events(lines), messages, self.model)
            except StatusFailed as error:
                if not self._learnt(error, body):
                    raise

    def _headers(self) -> dict[str, str]:
        key = self.endpoint.key
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _body(self, messages: Sequence[Message], limits: ReplyLimits) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.text} for m in messages],
            "temperature": DEFAULT_TEMPERATURE if self.temperature is None else self.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": limits.tokens,
        }
        for name, other in self._other.items():
            value = body.pop(name)
            if other is not None:
                body[other] = value
        return body

    def _learnt(self, error: StatusFailed, body: Mapping[str, Any]) -> bool:
        """Servers name the parameter that they do not take; newer models renamed one."""
        refused = error.details.get("param")
        may_go = {"max_tokens": "max_completion_tokens", "stream_options": None}
        if self.temperature is None:
            may_go["temperature"] = None
        if error.status != 400 or refused not in may_go or refused not in body:
            return False
        self._other[refused] = may_go[refused]
        return True


def _read(
    found: Iterable[Mapping[str, Any]], messages: Sequence[Message], asked_model: str
) -> Reply:
    pieces: list[str] = []
    finish, usage, model = "", None, asked_model
    for event in found:
        model = str(event.get("model") or model)
        usage = _usage(event.get("usage")) or usage
        for choice in (event.get("choices") or ())[:1]:
            part = choice.get("delta") or choice.get("message") or {}
            pieces.append(part.get("content") or "")
            finish = str(choice.get("finish_reason") or finish)
        if event.get("done"):
            finish = finish or "stop"
    text = "".join(pieces)
    if not finish:
        raise ProviderFailed("connection", f"the stream ended after {len(text)} characters")
    return Reply(text, usage or estimated_usage(messages, text), model, finish)


def _usage(said: object) -> Optional[Usage]:
    if not isinstance(said, dict):
        return None
    prompt, reply = said.get("prompt_tokens"), said.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(reply, int):
        return None
    return Usage(prompt, reply, counted=True)
