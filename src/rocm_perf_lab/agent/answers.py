"""What a tool answers: the document of the verb, no larger than a caller can read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Generic, Optional, TypeVar, Union, cast

from pydantic import BaseModel, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from rocm_perf_lab.agent.process import Ended
from rocm_perf_lab.errors import EXIT_CODES, NothingRecorded, OutputFailed, VerbFailed
from rocm_perf_lab.reporters.json_document import schema_of
from rocm_perf_lab.strict_json import Strict, plain, read_strict

Document = TypeVar("Document", bound=Strict)
Json = Union[dict[str, Any], list[Any]]


class _AsPublished:
    """How the protocol's library, which knows models of its own only, treats our documents."""

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(plain)
        return core_schema.any_schema(serialization=written)


class Answer(BaseModel, Generic[Document]):
    exit_code: int = Field(description="of the command line; 1 is an answer, too: it is no")
    meaning: str = Field(description="of the exit code")
    shortened: list[str] = Field(description="lists that were cut for their size, and to what")
    document: Annotated[Document, _AsPublished()]

    @classmethod
    def model_json_schema(cls, *args: Any, **named: Any) -> dict[str, Any]:
        """With what is published of the document. References inside it are from the top."""
        schema = super().model_json_schema(*args, **named)
        kind = cls.model_fields["document"].annotation
        published = json.loads(schema_of(cast("type[Strict]", kind), schema["title"]))
        del published["$schema"]  # it is a part of another one
        parts = published.pop("$defs", {})
        schema["properties"]["document"] = published
        return {**schema, "$defs": parts}


def answer(
    model: type[Document], ended: Ended, most_bytes: int, part: Optional[str] = None
) -> Answer[Document]:
    """Of the whole document, or of one part of it. Raises what the verb said when it made none."""
    content = _content(ended)
    if part is not None:
        content = _part(content, part)
    shortened = shorten(content, most_bytes)
    return Answer(
        exit_code=ended.exit_code,
        meaning=EXIT_CODES.get(ended.exit_code, "unknown"),
        shortened=shortened,
        document=read_strict(model, json.dumps(content)),
    )


def _content(ended: Ended) -> dict[str, Any]:
    try:
        content = json.loads(ended.text)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise VerbFailed("the verb made no document", None, ended.exit_code)
    error = content.get("error")
    if isinstance(error, dict):
        raise VerbFailed(error["cause"], error["next_step"], error["exit_code"])
    return content


def _part(content: dict[str, Any], name: str) -> dict[str, Any]:
    part = content.get(name)
    if isinstance(part, dict):
        return part
    reasons = [entry["reason"] for entry in content["unavailable"] if entry["field"] == name]
    raise NothingRecorded(f"there is no {name.replace('_', ' ')}: {'; '.join(reasons)}")


def shorten(content: Json, most_bytes: int) -> list[str]:
    """Cuts the longest lists to half, in place, until all of it fits; says what was cut."""
    cut: dict[str, tuple[int, list[Any]]] = {}
    while _size(content) > most_bytes:
        lists = [(len(found), path, found) for path, found in _lists(content, "") if len(found) > 1]
        if not lists:
            raise OutputFailed(
                f"the answer has more than {most_bytes} bytes and no list to cut",
                "rocm-perf mcp --most-kb N",
            )
        _, path, longest = max(lists, key=lambda entry: _size(entry[2]))
        cut.setdefault(path, (len(longest), longest))
        del longest[len(longest) // 2 :]
    return [f"{path}: the first {len(now)} of {before}" for path, (before, now) in cut.items()]


def _size(content: Any) -> int:
    return len(json.dumps(content, separators=(",", ":")))


def _lists(content: Any, path: str) -> Iterator[tuple[str, list[Any]]]:
    """Outer ones only: what is inside a list goes with its entry."""
    if isinstance(content, list):
        yield path, content
    elif isinstance(content, dict):
        for name, value in content.items():
            yield from _lists(value, f"{path}.{name}" if path else name)
