"""A local server that speaks the protocols of OpenAI and Anthropic and plays recorded answers."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Optional

KEY = "sk-test-5f0e1b2c3d4a59687766554433221100"


@dataclass(frozen=True)
class Answer:
    """How one request is answered; ``text`` is what the model says."""

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Optional[Mapping[str, Any]] = None  # the body of an answer that is no success
    cut_after: Optional[int] = None  # events; then the connection is reset
    ends_after: Optional[int] = None  # events; then the answer ends as if that were all
    pause_s: float = 0.0  # before each event
    streams: bool = True
    counts_tokens: bool = True


class ModelServer:
    """Answers in order; the last one again and again. ``requests`` has all bodies it was sent."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                owner.answer(self)

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.daemon = True
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def prompts(self) -> list[str]:
        """What the user's message of each request was."""
        return [
            next(m["content"] for m in body["messages"] if m["role"] == "user")
            for body in self.requests
        ]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["Content-Length"])
        self.requests.append(json.loads(handler.rfile.read(length)))
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        self.paths.append(handler.path)
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        try:
            if answer.status != 200:
                _whole(handler, answer, dict(answer.error or {}))
            elif not answer.streams:
                _whole(handler, answer, _document(answer))
            else:
                events = _anthropic if handler.path.endswith("/messages") else _openai
                _stream(handler, answer, events(answer))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client had enough


def _whole(handler: BaseHTTPRequestHandler, answer: Answer, content: Mapping[str, Any]) -> None:
    body = json.dumps(content).encode()
    handler.send_response(answer.status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    for name, value in answer.headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def _stream(handler: BaseHTTPRequestHandler, answer: Answer, events: Sequence[str]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for number, event in enumerate(events):
        if number == answer.cut_after:
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        if number == answer.ends_after:
            break
        time.sleep(answer.pause_s)
        data = f"{event}\n\n".encode()
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        handler.wfile.flush()
    handler.wfile.write(b"0\r\n\r\n")


def _pieces(text: str) -> list[str]:
    return [text[at : at + 40] for at in range(0, len(text), 40)]


def _openai(answer: Answer) -> list[str]:
    def chunk(**fields: Any) -> str:
        return "data: " + json.dumps({"model": "recorded-1", **fields})

    found = [": keep-alive", chunk(choices=[{"delta": {"role": "assistant", "content": ""}}])]
    found += [chunk(choices=[{"delta": {"content": piece}}]) for piece in _pieces(answer.text)]
    found.append(chunk(choices=[{"delta": {}, "finish_reason": "stop"}]))
    if answer.counts_tokens:
        usage = {"prompt_tokens": 1000, "completion_tokens": 100}
        found.append(chunk(choices=[], usage=usage))
    return [*found, "data: [DONE]"]


def _anthropic(answer: Answer) -> list[str]:
    def event(kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: " + json.dumps({"type": kind, **fields})

    start = {"model": "recorded-1", "usage": {"input_tokens": 1000, "output_tokens": 1}}
    found = [event("message_start", message=start), event("ping")]
    for piece in _pieces(answer.text):
        found.append(event("content_block_delta", delta={"type": "text_delta", "text": piece}))
    stop = {"stop_reason": "end_turn"}
    found.append(event("message_delta", delta=stop, usage={"output_tokens": 100}))
    return [*found, event("message_stop")]


def _document(answer: Answer) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text}
    return {"model": "recorded-1", "choices": [{"message": message, "finish_reason": "stop"}]}
