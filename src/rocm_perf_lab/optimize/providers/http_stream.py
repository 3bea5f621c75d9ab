"""One POST whose answer is read as it comes, until a deadline that nothing can stretch.

A server can dribble a byte a second and never be idle. Time limits of single reads do not end
that, so a timer shuts the connection down when the time for the whole answer is over.
"""

from __future__ import annotations

import contextlib
import functools
import json
import socket
import ssl
import threading
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional

from rocm_perf_lab.errors import ProviderFailed, ToolMissing

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 15.0
IDLE_SECONDS = 120.0  # between two pieces; models think before they write
_ERROR_BYTES = 65536  # of an answer that is not a success


class StatusFailed(ProviderFailed):
    """The server answered, but not with a reply."""

    def __init__(self, status: int, body: bytes, retry_after: Optional[str]) -> None:
        self.status, self.retry_after = status, retry_after
        self.details = _error_of(body)
        said = f": {self.details['message']}" if self.details.get("message") else ""
        super().__init__("refused", f"the server answered with status {status}{said}")


class Deadline:
    """Shuts the newest connection of a request down when the time is over."""

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._socket: Optional[socket.socket] = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(max(seconds, 0.0), self._end)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._timer.cancel()

    def trace(self, _event: str, info: Mapping[str, Any]) -> None:
        """httpcore tells of every connection that it opened or wrapped in TLS."""
        ask = getattr(info.get("return_value"), "get_extra_info", None)
        found = None if ask is None else ask("socket")
        if isinstance(found, socket.socket):
            with self._lock:
                self._socket = found
                late = self.passed
            if late:
                _shut(found)

    def _end(self) -> None:
        with self._lock:
            self.passed = True
            open_socket = self._socket
        if open_socket is not None:
            _shut(open_socket)


def _shut(connection: socket.socket) -> None:
    # The method of the plain socket: TLS would want to say good-bye first.
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def post_lines(
    url: str, headers: Mapping[str, str], body: object, seconds: float, most_bytes: int
) -> Generator[str, None, None]:
    """The lines of the answer. Raises ``StatusFailed`` and ``ProviderFailed``."""
    httpx = _httpx()
    timeout = httpx.Timeout(min(seconds, IDLE_SECONDS), connect=min(seconds, CONNECT_SECONDS))
    with Deadline(seconds) as deadline:
        try:
            # Redirects are not followed: a key goes to the host that the user named, or nowhere.
            with (
                httpx.Client(
                    timeout=timeout, verify=_certificates(), follow_redirects=False
                ) as client,
                client.stream(
                    "POST",
                    url,
                    headers={**headers, "Accept-Encoding": "identity"},
                    json=body,
                    extensions={"trace": deadline.trace},
                ) as response,
            ):
                if response.status_code != 200:
                    raise StatusFailed(
                        response.status_code,
                        _start_of(response),
                        response.headers.get("retry-after"),
                    )
                yield from _lines(response, most_bytes)
        except httpx.HTTPError as error:
            raise _failure(error, deadline, seconds, httpx) from error
        if deadline.passed:
            raise _too_late(seconds)


def _lines(response: httpx.Response, most_bytes: int) -> Iterator[str]:
    waiting, size = b"", 0
    for piece in response.iter_bytes():
        size += len(piece)
        if size > most_bytes:
            raise ProviderFailed("too-long", f"the answer has more than {most_bytes} bytes")
        *lines, waiting = (waiting + piece).split(b"\n")
        yield from (_text(line) for line in lines)
    if waiting:
        yield _text(waiting)


def _text(line: bytes) -> str:
    return line.rstrip(b"\r").decode("utf-8", "replace")


def _start_of(response: httpx.Response) -> bytes:
    found = b""
    for piece in response.iter_bytes():
        found += piece
        if len(found) > _ERROR_BYTES:
            break
    return found[:_ERROR_BYTES]


def _error_of(body: bytes) -> Mapping[str, str]:
    """Providers agree on {"error": {"message", "type", "param", "code"}}, mostly."""
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    error = content.get("error") if isinstance(content, dict) else None
    if isinstance(error, dict):
        return {key: str(value)[:500] for key, value in error.items() if value is not None}
    return {"message": error[:500]} if isinstance(error, str) else {}


def _failure(error: Exception, deadline: Deadline, seconds: float, httpx: Any) -> ProviderFailed:
    if deadline.passed:
        return _too_late(seconds)
    if isinstance(error, httpx.TimeoutException):
        connecting = isinstance(error, httpx.ConnectTimeout)
        what = "the server cannot be reached" if connecting else "nothing came any more"
        return ProviderFailed("timeout", f"{what} ({type(error).__name__})")
    return ProviderFailed("connection", f"the connection failed: {error or type(error).__name__}")


def _too_late(seconds: float) -> ProviderFailed:
    return ProviderFailed("timeout", f"the reply was not complete after {seconds:.0f} s")


@functools.lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than a request."""
    import httpx

    return httpx.create_ssl_context()


def _httpx() -> Any:
    try:
        import httpx
    except ImportError as error:
        raise ToolMissing(
            "asking a model over HTTP needs httpx, which is not installed",
            "pip install 'rocm-perf-lab[llm]', or use --provider command:...",
        ) from error
    return httpx
