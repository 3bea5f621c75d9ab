"""Documents in which every text is as long as texts get: what a page does with them."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

LONG_NAME = "void ns::deep::kernel_with_a_long_name<float, 128, true>(Tensor<float>, int)" * 2
_VALUES: dict[Any, Any] = {
    str: LONG_NAME,
    int: 1_234_567,
    float: 0.123456,
    bool: True,
    Path: Path(
        "/a/folder/whose/name/is/long/enough/to/need/a/line/of/its/own/to/be/copied/file.db"
    ),
    type(None): None,
    Any: LONG_NAME,
}


def filled(kind: Any, given: Mapping[str, Any]) -> Any:
    """One of a kind: every list has three entries, every option is there. What is given, by the
    name of a field, is used wherever a field has that name."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        return kind(**_fields(kind, kind.__struct_fields__, given))
    if dataclasses.is_dataclass(kind):
        return kind(**_fields(kind, kind.__dataclass_fields__, given))
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return filled(inner[0], given)
    if origin is typing.Literal:
        return inner[0]
    if origin in (typing.Union, getattr(types, "UnionType", typing.Union)):
        return filled(next(one for one in inner if one is not type(None)), given)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {f"name_{n}": filled(inner[1], given) for n in range(3)}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return tuple(filled(inner[0], given) for _ in range(3))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next(iter(kind))
    return _VALUES[kind]


def _fields(kind: Any, names: Iterable[str], given: Mapping[str, Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return {name: given[name] if name in given else filled(hints[name], given) for name in names}


def bare(kind: Any, **given: Any) -> Any:
    """A document of which only this is known: pages that show nothing else take it."""
    return kind(**{**dict.fromkeys(kind.__struct_fields__), **given})
