"""A result as one JSON document, and its published schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from rocm_perf_lab.reporters.absences import completed
from rocm_perf_lab.strict_json import Strict, plain
from rocm_perf_lab.trace.files.beside import written_beside


def to_json(document: Strict) -> str:
    """Stable bytes for equal documents: field order of the model, two spaces, one newline."""
    content = completed(plain(document))
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def schema_of(model: type[Strict], title: str) -> str:
    (top,), parts = msgspec.json.schema_components([model], ref_template="#/$defs/{name}")
    for part in parts.values():
        if "properties" in part:
            part["additionalProperties"] = False  # of dataclasses, too: we write no others
    schema = {**parts.pop(top["$ref"].rpartition("/")[2]), "title": title}
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    if parts:
        schema["$defs"] = parts
    return json.dumps(_in_order(schema), indent=2, sort_keys=True) + "\n"


def _in_order(part: Any) -> Any:
    """Alternatives in one order, null as the last: msgspec's depends on its version."""
    if isinstance(part, list):
        return [_in_order(one) for one in part]
    if not isinstance(part, dict):
        return part
    ordered = {name: _in_order(value) for name, value in part.items()}
    if "anyOf" in ordered:
        ordered["anyOf"].sort(key=lambda one: (one == {"type": "null"}, json.dumps(one)))
    return ordered


def write_document(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never a half of it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with written_beside(path) as beside:
        beside.write_text(text, encoding="utf-8")
