"""Documents: what is refused, where it is said, and what is written."""

from __future__ import annotations

import json
from typing import Annotated, Any, Optional

import msgspec
import numpy as np
import pytest

from rocm_perf_lab.strict_json import (
    NotStrict,
    Strict,
    as_text,
    filled_in,
    plain,
    read_strict,
    replace,
    says,
)


class Inner(Strict):
    note: str = "none"
    value: Annotated[float, says("in ms")]  # after one with a default: fields are given by name


class Outer(Strict):
    name: str
    rows: list[Inner]
    pair: Optional[tuple[int, int]] = None
    share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5


ROWS = [Inner(value=1.5), Inner(value=2.0, note="x")]


@pytest.mark.parametrize(
    ("text", "says_what"),
    [
        ('{"name": "a", "rows": [], "surprise": 1}', "unknown field `surprise`"),
        ('{"rows": []}', "missing required field `name`"),
        ('{"name": 3, "rows": []}', r"Expected `str`, got `int` - at `\$.name`"),
        ('{"name": "a", "rows": [{"value": "3"}]}', r"got `str` - at `\$.rows\[0\].value`"),
        ('{"name": "a", "rows": [], "pair": [1]}', r"length 2 - at `\$.pair`"),
        ('{"name": "a", "rows": [], "share": 1.5}', r"<= 1.0 - at `\$.share`"),
        ('{"name": "a", "rows": [{"value": NaN}]}', "malformed"),
        ('{"name": "a", "rows"', "truncated"),
        ("", "truncated"),
    ],
)
def test_another_form_is_refused_with_its_place(text: str, says_what: str) -> None:
    with pytest.raises(NotStrict, match=says_what):
        read_strict(Outer, text)


def test_what_is_written_is_read_again() -> None:
    document = Outer(name="ä", rows=ROWS, pair=(1, 2))
    assert read_strict(Outer, as_text(document)) == document
    assert list(plain(document)) == ["name", "rows", "pair", "share"]  # in the order of the model
    assert as_text(document, indent=1) == json.dumps(plain(document), indent=1)


def test_whole_numbers_of_a_measure_are_written_with_a_point() -> None:
    """Bytes do not depend on whether a computation happened to be exact."""
    assert as_text(Inner(value=2)) == as_text(Inner(value=2.0))


@pytest.mark.parametrize("value", [np.float64(2.5), np.float32(2.5)])
def test_numbers_of_numpy_are_numbers(value: Any) -> None:
    assert plain(Inner(value=value)) == {"note": "none", "value": 2.5}


def test_a_document_of_another_form_is_not_written() -> None:
    with pytest.raises(NotStrict, match=r"Expected `float`, got `str` - at `\$.rows\[0\].value`"):
        plain(Outer(name="a", rows=[Inner(value="much")]))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="object has no place in a document"):
        plain(Inner(value=object()))  # type: ignore[arg-type]
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            as_text(Inner(value=number))


def test_nobody_changes_a_document() -> None:
    document = Inner(value=1.0)
    with pytest.raises(AttributeError, match="immutable"):
        document.value = 2.0  # type: ignore[misc]
    assert replace(document, value=2.0) == Inner(value=2.0)
    assert document.value == 1.0


def test_fields_that_could_have_been_left_out() -> None:
    assert filled_in(Outer(name="a", rows=[])) == []
    assert filled_in(Outer(name="a", rows=[], pair=(1, 2), share=0.5)) == ["pair"]
