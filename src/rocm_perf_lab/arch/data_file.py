"""Reads the JSON files of ``data``. A key that stands twice is refused: JSON itself would silently
keep the last one, and with it the wrong number or source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_data_file(path: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = sorted({key for key in keys if keys.count(key) > 1})
            raise ValueError(f"{path.name}: {', '.join(twice)} defined twice")
        return entries

    document: dict[str, Any] = json.loads(path.read_text("utf-8"), object_pairs_hook=once)
    return document
