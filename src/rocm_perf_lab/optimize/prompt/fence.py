"""Text as data: between fences that it cannot close, without folders of this machine."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LEAST = 3


def fenced(text: str, tag: str = "") -> str:
    """CommonMark closes a block with a fence at least as long as its first one, so that one mark
    more than the text has anywhere cannot be closed by it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    marks = "`" * max(_LEAST, longest + 1)
    body = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    return f"{marks}{tag}\n{body}\n{marks}"


def without_folders(text: str, names: Iterable[str]) -> str:
    """Paths of these files, wherever they lie, become their names: the same text everywhere."""
    for name in sorted(set(names), key=len, reverse=True):
        text = re.sub(rf"(?<![\w.])/(?:[^\s:'\"`/]+/)*{re.escape(name)}(?![\w.])", name, text)
    return text
