"""A result as one JSON document, and its published schema."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from rocm_perf_lab.reporters.absences import completed
from rocm_perf_lab.trace.files.beside import written_beside


def to_json(document: BaseModel) -> str:
    """Stable bytes for equal documents: field order of the model, two spaces, one newline."""
    content = completed(document.model_dump(mode="json"))
    return json.dumps(content, indent=2, ensure_ascii=True) + "\n"


def schema_of(model: type[BaseModel], title: str) -> str:
    schema = model.model_json_schema(mode="serialization")
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:  # pydantic says so for models; for dataclasses it varies
            part["additionalProperties"] = False
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = title
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def write_document(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never a half of it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with written_beside(path) as beside:
        beside.write_text(text, encoding="utf-8")
