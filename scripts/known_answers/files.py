"""Texts of fixtures, and where they are written; a name that ends in .gz is packed."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Files = dict[str, str]  # text by name below the folder of fixtures


def json_text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1) + "\n"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def number(value: float) -> object:
    """Counters are whole numbers, whatever their column was."""
    return int(value) if value == int(value) else value


def write(folder: Path, files: Files) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode("utf-8")
        path.write_bytes(gzip.compress(data, 9, mtime=0) if name.endswith(".gz") else data)


def read(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")


def different(folder: Path, files: Files) -> list[str]:
    """Names of fixtures that are missing, changed, or that nothing here writes.

    Texts are compared: another zlib packs the same text into other bytes.
    """
    found = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
    found.pop("README.md", None)
    same = {name for name, text in files.items() if name in found and read(found[name]) == text}
    return sorted({*files, *found} - same)
