"""The part of YAML that job files use, without a dependency.

Mappings and lists by indentation, lists in brackets, numbers, true and false, quoted and plain
texts, comments. Anchors, tags, several documents and multi-line texts are errors, not guesses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_COMMENT = re.compile(r"(?:^|\s)#.*$")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_KEY = re.compile(r"([A-Za-z_][\w-]*|\"[^\"]*\"|'[^']*')\s*:(?:\s+(.*))?$")
_CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
_UNSUPPORTED = "&*!|>@`%{"
_DASH = "-"


@dataclass(frozen=True)
class _Line:
    number: int
    indent: int
    text: str


def parse_yaml(content: str) -> Any:
    """Raises ``ValueError``, with the line, for what is not in the part described above."""
    lines = _lines(content)
    if not lines:
        return None
    value, position = _block(lines, 0, lines[0].indent)
    if position < len(lines):
        raise _error(lines[position], "unexpected indentation")
    return value


def _lines(content: str) -> list[_Line]:
    """Lines without comments; what follows a dash stands on a line of its own."""
    found = []
    for number, raw in enumerate(content.splitlines(), start=1):
        line = _without_comment(raw).rstrip()
        text = line.lstrip(" ")
        if text.startswith("\t"):
            raise ValueError(f"line {number}: tabs do not indent")
        while text.startswith("- "):
            found.append(_Line(number, len(line) - len(text), _DASH))
            text = text[1:].lstrip(" ")
        if text and text != "---":
            found.append(_Line(number, len(line) - len(text), text))
    return found


def _without_comment(line: str) -> str:
    masked = _QUOTED.sub(lambda match: "x" * len(match[0]), line)
    comment = _COMMENT.search(masked)
    return line if comment is None else line[: comment.start()]


def _block(lines: Sequence[_Line], position: int, indent: int) -> tuple[Any, int]:
    line = lines[position]
    if line.text == _DASH:
        return _list(lines, position, indent)
    if _KEY.match(line.text):
        return _mapping(lines, position, indent)
    return _scalar(line, line.text), position + 1


def _list(lines: Sequence[_Line], position: int, indent: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while position < len(lines) and lines[position].indent == indent:
        if lines[position].text != _DASH:
            break
        value, position = _nested(lines, position + 1, indent + 1)
        items.append(value)
    return items, position


def _mapping(lines: Sequence[_Line], position: int, indent: int) -> tuple[dict[str, Any], int]:
    result: dict[str, Any] = {}
    while position < len(lines) and lines[position].indent == indent:
        line = lines[position]
        match = _KEY.match(line.text)
        if match is None:
            raise _error(line, "expected 'key: value'")
        key, rest = match[1].strip("\"'"), (match[2] or "").strip()
        if rest:
            result[key], position = _scalar(line, rest), position + 1
        else:
            # A list may stand at the same indentation as its key.
            result[key], position = _nested(lines, position + 1, indent + 1, list_at=indent)
    return result, position


def _nested(
    lines: Sequence[_Line], position: int, least: int, list_at: int = -1
) -> tuple[Any, int]:
    if position >= len(lines):
        return None, position
    line = lines[position]
    if line.indent >= least or (line.indent == list_at and line.text == _DASH):
        return _block(lines, position, line.indent)
    return None, position


def _scalar(line: _Line, text: str) -> Any:
    if text.startswith("["):
        if not text.endswith("]"):
            raise _error(line, "a list in brackets must end on its line")
        inner = text[1:-1].strip()
        return [_scalar(line, item.strip()) for item in _split(inner)] if inner else []
    if _QUOTED.fullmatch(text):
        return text[1:-1]
    if not text or text[0] in _UNSUPPORTED or text[0] in "\"'":
        raise _error(line, f"{text!r} is not in the supported part of YAML")
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else text


def _split(text: str) -> list[str]:
    """At the commas that are not inside quotes or brackets."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[]":
            depth += 1 if character == "[" else -1
        elif character == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += character
    return parts


def _error(line: _Line, what: str) -> ValueError:
    return ValueError(f"line {line.number}: {what}")
