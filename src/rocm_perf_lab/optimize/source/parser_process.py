"""A parser in a process of its own, for text that nobody vouches for.

A candidate can make clang run for hours or fill the memory with a few lines. Here that ends the
other process, the answer is an error, and the next text finds a new one.
"""

from __future__ import annotations

import pickle
import resource
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Optional

from rocm_perf_lab.errors import PerfLabError, ToolFailed
from rocm_perf_lab.optimize.source.command import CompileCommand
from rocm_perf_lab.optimize.source.model import TranslationUnit
from rocm_perf_lab.optimize.source.parser import Parser

_LENGTH = struct.Struct("<Q")
_GIB = 1 << 30


class ParserProcess:
    """As ``Parser``, with limits for each text."""

    def __init__(
        self,
        command: CompileCommand,
        source: Path,
        *,
        seconds: float = 60.0,
        memory_bytes: int = 8 * _GIB,
    ) -> None:
        self._start = (command, str(source), memory_bytes)
        self.seconds = seconds
        self._process: Optional[subprocess.Popen[bytes]] = None

    def parse(self, contents: Optional[Mapping[str, bytes]] = None) -> TranslationUnit:
        """Raises ``ToolFailed`` where a limit was reached or clang itself failed."""
        process = self._running()
        expired = threading.Event()

        def end() -> None:
            expired.set()
            process.kill()

        limit = threading.Timer(self.seconds, end)
        limit.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            _send(process.stdin, dict(contents or {}))
            answer = _receive(process.stdout)
        except (OSError, EOFError):
            self.close()
            why = f"took more than {self.seconds:g} s" if expired.is_set() else "ended clang"
            raise ToolFailed(
                f"reading {self._start[1]} {why}", f"see what hipcc -c {self._start[1]} does"
            ) from None
        finally:
            limit.cancel()
            limit.join()
        if isinstance(answer, PerfLabError):
            raise answer
        assert isinstance(answer, TranslationUnit)
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __enter__(self) -> ParserProcess:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us; we end it
            )
            assert self._process.stdin is not None
            _send(self._process.stdin, self._start)
        return self._process


def _send(pipe: IO[bytes], value: object) -> None:
    data = pickle.dumps(value)
    pipe.write(_LENGTH.pack(len(data)) + data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    """What the other end of our own pipe sent. Raises ``EOFError`` when it is gone."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    (size,) = _LENGTH.unpack(header)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def main() -> None:
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    command, source, memory_bytes = _receive(incoming)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    parser: Optional[Parser] = None
    while True:
        try:
            contents = _receive(incoming)
        except EOFError:
            return
        answer: object
        try:
            parser = parser or Parser(command, Path(source))
            answer = parser.parse(contents)
        except PerfLabError as error:
            answer = ToolFailed(error.cause, error.next_step)
        _send(outgoing, answer)


if __name__ == "__main__":
    main()
