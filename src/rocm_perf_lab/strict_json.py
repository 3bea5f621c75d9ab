"""Base of every JSON document of rocm-perf: its form is checked when it is read and written.

Nothing is checked where a document is put together: types are mypy's business, and a verb that
prints a page for a person does not pay for a check of what only ``--json`` shows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

import msgspec
from msgspec import field

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
    class Strict:
        """What mypy is to know: it does not see that a Struct hands its options down."""

else:

    class _KeywordsOnly(type(msgspec.Struct)):
        """The one option that a Struct does not hand down: fields in any order, given by name."""

        def __new__(mcs, name, bases, namespace, **options):
            return super().__new__(mcs, name, bases, namespace, **{"kw_only": True, **options})

    class Strict(msgspec.Struct, metaclass=_KeywordsOnly, frozen=True, forbid_unknown_fields=True):
        """A part of a document. Unknown keys and values of another type are refused."""


_Kind = TypeVar("_Kind", bound=Strict)
NotStrict = msgspec.DecodeError  # says what is wrong, and where in the document


def says(text: str) -> msgspec.Meta:
    """What a field means, for the schema: ``Annotated[int, says("from 0")]``."""
    return msgspec.Meta(description=text)


def replace(document: _Kind, **fields: Any) -> _Kind:
    """The same document with other values of some fields."""
    changed: _Kind = msgspec.structs.replace(document, **fields)  # type: ignore[type-var]
    return changed


def filled_in(document: Strict) -> list[str]:
    """Fields that may be left out, and that say something here."""
    fields = msgspec.structs.fields(type(document))  # type: ignore[arg-type]
    return [
        one.name
        for one in fields
        if not one.required and getattr(document, one.name) != one.default
    ]


def read_strict(kind: type[_Kind], text: Union[bytes, str]) -> _Kind:
    """Raises NotStrict."""
    return msgspec.json.decode(text, type=kind)


def plain(document: Strict) -> dict[str, Any]:
    """As JSON has it, in the order of the fields. Raises NotStrict where it is not of its form."""
    raw = msgspec.to_builtins(document, enc_hook=_number)
    found: dict[str, Any] = msgspec.to_builtins(msgspec.convert(raw, type(document)))
    return found


def as_text(document: Strict, indent: Optional[int] = None) -> str:
    """Stable for equal documents. Raises ValueError for a number that JSON cannot say."""
    return json.dumps(plain(document), indent=indent, allow_nan=False)


def _number(value: Any) -> object:
    """What NumPy computed is a number as well."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in a document")
