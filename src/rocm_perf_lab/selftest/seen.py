"""What a step left behind: its document, its files, and the documents of steps before it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional, Union

Look = Callable[["Seen"], Optional[str]]


class Lacks(Exception):
    """A document has no such field, or one that is of no use."""


class NotHere(Exception):
    """What the step looks for needs something that this machine does not have."""

    def __init__(self, reason: str, next_step: Optional[str] = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.next_step = next_step


@dataclass(frozen=True)
class Document:
    content: Any
    path: str = "the document"

    def at(self, *names: Union[str, int]) -> Any:
        """The value of a field inside of fields. Raises ``Lacks`` naming what is absent."""
        value, way = self.content, ""
        for name in names:
            way = f"{way}[{name}]" if isinstance(name, int) else f"{way}.{name}".lstrip(".")
            try:
                value = value[name]
            except (KeyError, IndexError, TypeError):
                raise Lacks(f"{self.path} has no {way}") from None
        return value

    def number(self, *names: Union[str, int]) -> float:
        value = self.at(*names)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Lacks(f"{self.path} has no number for {'.'.join(map(str, names))}: {value!r}")
        return float(value)

    def rows(self, *names: Union[str, int]) -> list[Document]:
        """The entries of a list."""
        value = self.at(*names)
        name = ".".join(map(str, names))
        if not isinstance(value, list):
            raise Lacks(f"{self.path} has no list {name}")
        return [Document(one, f"{self.path}: {name}[{i}]") for i, one in enumerate(value)]


@dataclass(frozen=True)
class Seen:
    folder: Path  # of work
    stdout: str
    earlier: Mapping[str, str]  # name of a step -> its standard output

    @property
    def document(self) -> Document:
        return read(self.stdout, "the document")

    def document_of(self, step: str) -> Document:
        return read(self.earlier[step], f"the document of {step}")

    def file(self, name: str) -> Document:
        try:
            return read((self.folder / name).read_text("utf-8"), name)
        except OSError as error:
            raise Lacks(f"{name} was not written: {error.strerror}") from error


def read(text: str, path: str) -> Document:
    try:
        return Document(json.loads(text), path)
    except ValueError:
        what = "is empty" if not text.strip() else "is not JSON"
        raise Lacks(f"{path} {what}") from None
