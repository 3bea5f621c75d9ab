"""Replies that were recorded, in their order: a search that can be run again, without a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rocm_perf_lab.errors import ProviderFailed, UsageError
from rocm_perf_lab.optimize.providers.provider import (
    Message,
    Reply,
    ReplyLimits,
    estimated_usage,
)


@dataclass
class Transcript:
    path: Path
    replies: Sequence[str]
    _used: int = field(default=0)

    @property
    def name(self) -> str:
        return f"transcript {self.path.name}"

    @property
    def secrets(self) -> tuple[str, ...]:
        return ()

    def complete(self, messages: Sequence[Message], limits: ReplyLimits) -> Reply:
        if self._used == len(self.replies):
            raise ProviderFailed("exhausted", f"all {self._used} replies of {self.path} are used")
        text = self.replies[self._used]
        self._used += 1
        return Reply(text, estimated_usage(messages, text), "transcript", "stop")


def read_transcript(path: Path) -> Transcript:
    """JSON lines with a text ``reply``; other fields and empty lines do not matter."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the transcript {path} cannot be read: {error}") from error
    replies = [_reply(path, n, line) for n, line in enumerate(lines, 1) if line.strip()]
    if not replies:
        raise UsageError(f"the transcript {path} has no reply", 'a line is {"reply": "..."}')
    return Transcript(path, replies)


def _reply(path: Path, number: int, line: str) -> str:
    try:
        content = json.loads(line)
    except ValueError:
        content = None
    reply = content.get("reply") if isinstance(content, dict) else None
    if not isinstance(reply, str):
        raise UsageError(f"line {number} of {path} is not a reply", 'a line is {"reply": "..."}')
    return reply
