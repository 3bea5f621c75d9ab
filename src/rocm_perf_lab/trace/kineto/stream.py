"""A JSON document read piece by piece: its events one at a time, the rest member by member.

A trace of some gigabytes would need ten times its size as Python objects. Here only a window of
the text is in memory, and one event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

EVENTS = "traceEvents"
_WINDOW = 1 << 22  # characters
_LONGEST_VALUE = 1 << 26  # a longer one is not an event, but a quote or bracket that never closes
_LONGEST_NUMBER = 32
_SPACE = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n,]*")


class DamagedJson(ValueError):
    """The text is not JSON, or it ends too early."""


def members(stream: TextIO) -> Iterator[tuple[str, Any]]:
    """The members of the outermost object; events come one by one as ("traceEvents", event).

    Numbers with a fraction come as text: a float has not enough digits for nanoseconds.
    """
    window = _Window(stream)
    window.take("{")
    while window.next_character() == '"':
        name = window.value()
        window.take(":")
        if name == EVENTS and window.next_character() == "[":
            window.take("[")
            while window.next_character(_BETWEEN) != "]":
                yield EVENTS, window.value()
            window.take("]")
        else:
            yield name, window.value()
        if window.next_character() == ",":
            window.take(",")
    window.take("}")


class _Window:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._text = ""
        self._at = 0
        self._decode = json.JSONDecoder(strict=False, parse_float=str).raw_decode

    def next_character(self, skipped: re.Pattern[str] = _SPACE) -> str:
        """The first character behind what is skipped, "" at the end of the text."""
        while True:
            self._at = skipped.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read_on():
                return ""

    def take(self, character: str) -> None:
        found = self.next_character()
        if found != character:
            raise DamagedJson(
                f"'{character}' is missing" if found else "it ends before it is complete"
            )
        self._at += 1

    def value(self) -> Any:
        self.next_character()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except RecursionError as error:
                raise DamagedJson("brackets are nested too deeply") from error
            except ValueError as error:
                if len(self._text) - self._at > _LONGEST_VALUE:
                    raise DamagedJson(str(error)) from error
                if not self._read_on():
                    raise DamagedJson("it ends before it is complete") from error
                continue
            cut = len(self._text) - end < _LONGEST_NUMBER and not isinstance(value, (dict, list))
            if cut and self._read_on():
                continue  # of a number there may be more digits
            self._at = end
            return value

    def _read_on(self) -> bool:
        more = self._stream.read(_WINDOW)
        if not more:
            return False
        self._text = self._text[self._at :] + more
        self._at = 0
        return True
