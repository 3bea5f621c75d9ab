"""Models over HTTP: both protocols, and everything that a network does to a reply."""

from __future__ import annotations

import time
from typing import Callable

import pytest
from model_server import KEY, Answer, ModelServer

pytest.importorskip("httpx", reason="models over HTTP need the extra [llm]")

from rocm_perf_lab.errors import ProviderFailed, UsageError
from rocm_perf_lab.optimize.providers import Message, Provider, ReplyLimits, retry
from rocm_perf_lab.optimize.providers.choose import ProviderChoice, chosen

Serve = Callable[..., ModelServer]
MESSAGES = (Message("system", "You answer."), Message("user", "Make it faster: héllo"))
TEXT = "Here it is.\n```cpp\n__global__ void k() { /* ünïcode */ }\n```\n"
LIMITS = ReplyLimits(seconds=20.0)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Back-off is remembered, not slept."""
    waited: list[float] = []
    monkeypatch.setattr(retry, "pause", waited.append)
    return waited


def asked(server: ModelServer, kind: str = "openai", **choice: object) -> Provider:
    path = "/v1" if kind == "openai" else ""
    return chosen(ProviderChoice(kind, "some-model", server.url + path, **choice))  # type: ignore


def failure(provider: Provider, limits: ReplyLimits = LIMITS) -> ProviderFailed:
    with pytest.raises(ProviderFailed) as caught:
        provider.complete(MESSAGES, limits)
    assert KEY not in str(caught.value.cause)
    return caught.value


def test_openai_streams(serve: Serve, key: str) -> None:
    server = serve(Answer(TEXT))
    reply = asked(server).complete(MESSAGES, LIMITS)
    assert reply.text == TEXT
    assert (reply.usage.prompt_tokens, reply.usage.reply_tokens) == (1000, 100)
    assert reply.usage.counted
    assert reply.model == "recorded-1"
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == f"Bearer {key}"
    body = server.requests[0]
    assert body["messages"][1] == {"role": "user", "content": "Make it faster: héllo"}
    assert (body["temperature"], body["max_tokens"], body["stream"]) == (0.2, 16384, True)


def test_a_server_that_does_not_stream_or_count(serve: Serve, key: str) -> None:
    reply = asked(serve(Answer(TEXT, streams=False))).complete(MESSAGES, LIMITS)
    assert reply.text == TEXT
    assert not reply.usage.counted
    assert reply.usage.prompt_tokens > 5
    assert (
        not asked(serve(Answer(TEXT, counts_tokens=False))).complete(MESSAGES, LIMITS).usage.counted
    )


def test_anthropic_streams(serve: Serve, key: str) -> None:
    server = serve(Answer(TEXT))
    reply = asked(server, "anthropic").complete(MESSAGES, LIMITS)
    assert reply.text == TEXT
    assert (reply.usage.prompt_tokens, reply.usage.reply_tokens) == (1000, 100)
    assert server.paths == ["/v1/messages"]
    assert server.headers[0]["x-api-key"] == key
    assert server.headers[0]["anthropic-version"] == "2023-06-01"
    body = server.requests[0]
    assert body["system"] == "You answer."
    assert [m["role"] for m in body["messages"]] == ["user"]
    assert "temperature" not in body


def test_429_and_5xx_are_asked_again_as_late_as_they_want(
    serve: Serve, key: str, no_waiting: list[float]
) -> None:
    server = serve(
        Answer(status=429, headers={"Retry-After": "7"}, error={"error": {"message": "slow"}}),
        Answer(status=503),
        Answer(TEXT),
    )
    assert asked(server).complete(MESSAGES, LIMITS).text == TEXT
    assert no_waiting == [7.0, 2.0]


def test_a_wait_that_is_longer_than_what_is_left_is_not_begun(
    serve: Serve, key: str, no_waiting: list[float]
) -> None:
    server = serve(Answer(status=429, headers={"Retry-After": "3600"}))
    error = failure(asked(server))
    assert error.cause == (
        "the server answered with status 429; it wants 3600 s, more than is left for a reply"
    )
    assert len(server.requests) == 1
    assert no_waiting == []


def test_it_gives_up_after_four_tries(serve: Serve, key: str, no_waiting: list[float]) -> None:
    server = serve(Answer(status=500, error={"error": {"message": "out of memory"}}))
    error = failure(asked(server))
    assert error.kind == "refused"
    assert error.cause == ("the server answered with status 500: out of memory (tried 4 times)")
    assert no_waiting == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404])
def test_what_will_not_change_is_asked_once(serve: Serve, key: str, status: int) -> None:
    server = serve(Answer(status=status, headers={"Location": "http://127.0.0.1:1/"}))
    error = failure(asked(server))
    assert (error.kind, len(server.requests)) == ("refused", 1)
    assert f"status {status}" in error.cause


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_cut_connection_is_no_reply(
    serve: Serve, key: str, kind: str, no_waiting: list[float]
) -> None:
    server = serve(Answer(TEXT, cut_after=3))
    error = failure(asked(server, kind))
    assert error.kind == "connection"
    assert error.cause.endswith("(tried 4 times)")
    assert len(server.requests) == 4
    assert (
        asked(serve(Answer(TEXT, cut_after=0), Answer(TEXT)), kind).complete(MESSAGES, LIMITS).text
        == TEXT
    )


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_stream_that_ends_without_its_end_is_no_reply(serve: Serve, key: str, kind: str) -> None:
    error = failure(asked(serve(Answer(TEXT, ends_after=3)), kind))
    assert error.kind == "connection"
    assert error.cause.startswith("the stream ended after ")


def test_a_slow_stream_ends_at_the_deadline(serve: Serve, key: str) -> None:
    """Each piece comes long before anything is idle; all of them would take ten seconds."""
    server = serve(Answer(TEXT * 20, pause_s=0.2))
    start = time.monotonic()
    error = failure(asked(server), ReplyLimits(seconds=1.0))
    assert time.monotonic() - start < 3.0
    assert (error.kind, len(server.requests)) == ("timeout", 1)
    assert error.cause == "the reply was not complete after 1 s"


def test_a_server_that_says_nothing_ends_at_the_deadline(serve: Serve, key: str) -> None:
    start = time.monotonic()
    error = failure(asked(serve(Answer(TEXT, pause_s=20.0))), ReplyLimits(seconds=0.5))
    assert time.monotonic() - start < 3.0
    assert error.kind == "timeout"


def test_an_endless_reply_is_cut_off(serve: Serve, key: str) -> None:
    error = failure(asked(serve(Answer("x" * 300_000))), ReplyLimits(20.0, bytes=100_000))
    assert (error.kind, error.cause) == ("too-long", "the answer has more than 100000 bytes")


def test_nobody_listens(key: str, no_waiting: list[float]) -> None:
    error = failure(chosen(ProviderChoice("openai", "m", "http://127.0.0.1:9/v1")))
    assert error.kind == "connection"
    assert "(tried 4 times)" in error.cause


@pytest.mark.parametrize(
    ("refused", "replacement"),
    [
        ("max_tokens", "max_completion_tokens"),
        ("temperature", None),
        ("stream_options", None),
    ],
)
def test_parameters_that_a_server_does_not_take(
    serve: Serve, key: str, refused: str, replacement: str
) -> None:
    error = {"error": {"message": f"Unsupported parameter: '{refused}'", "param": refused}}
    server = serve(Answer(status=400, error=error), Answer(TEXT))
    provider = asked(server)
    assert provider.complete(MESSAGES, LIMITS).text == TEXT
    assert provider.complete(MESSAGES, LIMITS).text == TEXT  # what was learnt stays
    assert len(server.requests) == 3
    assert refused not in server.requests[2]
    assert replacement is None or server.requests[2][replacement] == 16384


def test_a_temperature_that_was_asked_for_is_not_dropped(serve: Serve, key: str) -> None:
    error = {"error": {"message": "only 1 is supported", "param": "temperature"}}
    server = serve(Answer(status=400, error=error))
    assert "only 1 is supported" in failure(asked(server, temperature=0.7)).cause
    assert server.requests[0]["temperature"] == 0.7


def test_keys_do_not_travel_in_the_clear(key: str) -> None:
    with pytest.raises(UsageError, match=r"would go to model\.example unencrypted"):
        chosen(ProviderChoice("openai", "m", "http://model.example/v1"))


def test_a_key_is_needed_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OTHER_KEY", "k")
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        chosen(ProviderChoice("openai", "m"))
    assert chosen(ProviderChoice("openai", "m", key_from="OTHER_KEY")).secrets == ("k",)
    assert chosen(ProviderChoice("openai", "m", "http://localhost:1/v1")).secrets == ()


def test_names_and_values_hold_no_key(key: str) -> None:
    provider = chosen(ProviderChoice("openai", "m", "https://me:pass@model.example/v1"))
    assert provider.name == "m at https://<redacted>@model.example/v1"
    assert KEY not in repr(provider)
    assert provider.secrets == (KEY,)
