"""The server of the tests, and a key that must be found nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from model_server import KEY, Answer, ModelServer


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    return KEY


@pytest.fixture
def serve() -> Iterator[Callable[..., ModelServer]]:
    """Starts a server that gives these answers in order."""
    started: list[ModelServer] = []

    def start(*answers: Answer) -> ModelServer:
        started.append(ModelServer(answers))
        return started[-1]

    yield start
    for server in started:
        server.close()
