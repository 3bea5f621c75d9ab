"""Code object URIs, as the runtime reports them: ``file:///app#offset=4096&size=9000``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Optional
from urllib.parse import parse_qs, unquote, urlsplit

from rocm_perf_lab.errors import CodeObjectError


@dataclass(frozen=True)
class FileRange:
    """A part of a file; ``size=None`` is everything behind ``offset``."""

    path: Path
    offset: int = 0
    size: Optional[int] = None

    def read(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                data = file.read(-1 if self.size is None else self.size)
        except (OSError, OverflowError, ValueError) as error:
            raise CodeObjectError(
                f"cannot read {self.path}: {getattr(error, 'strerror', None) or error}",
                "keep the application's binary where it was when the recording was made",
            ) from error
        if self.size is not None and len(data) != self.size:
            raise CodeObjectError(
                f"{self.path} ends before offset {self.offset} + {self.size}",
                "the file has changed since the recording: record again",
            )
        return data


def parse_uri(uri: str) -> FileRange:
    """The file range of a ``file:`` URI; other schemes name memory that is gone."""
    parts = urlsplit(uri)
    if parts.scheme == "memory":
        raise CodeObjectError(
            f"the code object was loaded from memory and is not on disk: {uri}",
            "record with thread trace or PC sampling, which keep a copy of the code objects",
        )
    if parts.scheme != "file" or not parts.path:
        raise CodeObjectError(f"not the URI of a code object: {uri!r}")
    numbers = parse_qs(parts.fragment or parts.query)
    offset = _number(numbers, "offset", uri)
    return FileRange(Path(unquote(parts.path)), offset or 0, _number(numbers, "size", uri))


def _number(numbers: dict[str, list[str]], key: str, uri: str) -> Optional[int]:
    if key not in numbers:
        return None
    try:
        value = int(numbers[key][0], 0)
    except ValueError:
        value = -1
    if value < 0:
        raise CodeObjectError(f"{key} is not a number in the code object URI {uri!r}")
    return value
