"""docs/schema/README.md: the published documents and their fields, each with what changed in it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

START = """\
# JSON documents

Written by `scripts/write-schemas.py` from the models and from [CHANGELOG.md](CHANGELOG.md); a test
compares. Every document carries `schema_version`; the files beside this page are JSON Schemas
(draft 2020-12). Fields are added, never renamed; a field that is measured and is not there is
`null`, with its reason in `unavailable`. Fields inside of fields are in the schema itself.

"""
_ENTRY = re.compile(r"^- `(\S+)` `([0-9a-f]{12})` (.+?)(?=^- `|^#|\Z)", re.MULTILINE | re.DOTALL)


def digest(schema: str) -> str:
    """Of what is said, not of how it is laid out."""
    plain = json.dumps(json.loads(schema), sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def changes(changelog: str) -> dict[str, list[tuple[str, str]]]:
    """Name with version -> (digest, what changed), the newest first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, mark, text in _ENTRY.findall(changelog):
        found.setdefault(name, []).append((mark, " ".join(text.split())))
    return found


def untold(schemas: Mapping[str, str], changelog: str) -> list[str]:
    """Lines that are missing on top of the changelog: schemas that are not as it last told."""
    known = changes(changelog)
    return [
        f"- `{Path(file).stem}` `{digest(text)}` what changed"
        for file, text in schemas.items()
        if known.get(Path(file).stem, [("", "")])[0][0] != digest(text)
    ]


def page(schemas: Mapping[str, str], changelog: str) -> str:
    known = changes(changelog)
    return START + "\n".join(
        _section(file, json.loads(text), known.get(Path(file).stem, []))
        for file, text in sorted(schemas.items())
    )


def _section(file: str, schema: Mapping[str, Any], told: list[tuple[str, str]]) -> str:
    about = " ".join(str(schema.get("description", "")).split()).replace("``", "`")
    rows = "".join(
        f"| `{name}` | {_type(part)} | {_cell(part.get('description', ''))} |\n"
        for name, part in schema.get("properties", {}).items()
    )
    history = "".join(f"* {text}\n" for _, text in told)
    return (
        f"## {Path(file).stem}\n\n{f'[{file}]({file}). {about}'.rstrip()}\n\n"
        f"| field | type | |\n|---|---|---|\n{rows}\nChanges, the newest first:\n\n{history}"
    )


def _type(part: Mapping[str, Any]) -> str:
    if "$ref" in part:
        return str(part["$ref"]).rsplit("/", 1)[-1]
    if "enum" in part:
        return ", ".join(f"`{json.dumps(value)}`" for value in part["enum"])
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(map(_type, part["anyOf"])))
    if part.get("type") == "array":
        return f"list of {_type(part['items'])}" if part.get("items") else "list"
    return str(part.get("type", "any"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("``", "`")
