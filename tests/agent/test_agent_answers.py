"""Answers fit, say what was cut, and failures keep the words of the verb."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.agent.answers import answer, shorten
from rocm_perf_lab.agent.process import Ended
from rocm_perf_lab.errors import NothingRecorded, OutputFailed, VerbFailed
from rocm_perf_lab.strict_json import Strict


class Small(Strict):
    name: str
    rows: list[int]


def ended(content: Any, exit_code: int = 0) -> Ended:
    return Ended(exit_code, json.dumps(content))


def test_a_document_comes_as_it_is() -> None:
    found = answer(Small, ended({"name": "a", "rows": [1, 2]}, 1), 1000)
    assert found.document == Small(name="a", rows=[1, 2])
    assert (found.exit_code, found.shortened) == (1, [])
    assert found.meaning.startswith("the answer is no")


def test_a_long_list_is_cut_and_said() -> None:
    found = answer(Small, ended({"name": "a", "rows": list(range(1000))}), 500)
    assert found.document.rows == list(range(len(found.document.rows)))
    assert found.shortened == [f"rows: the first {len(found.document.rows)} of 1000"]


def test_what_cannot_be_cut_is_refused() -> None:
    with pytest.raises(OutputFailed, match="more than 100 bytes and no list to cut"):
        shorten({"name": "x" * 200, "rows": [1]}, 100)


@given(
    st.dictionaries(st.text(max_size=5), st.lists(st.integers()), max_size=4),
    st.integers(min_value=200, max_value=2000),
)
def test_what_is_left_fits_and_is_a_beginning(content: dict[str, Any], most: int) -> None:
    before = json.loads(json.dumps(content))
    shortened = shorten(content, most)
    assert len(json.dumps(content, separators=(",", ":"))) <= most
    assert all(before[name][: len(rows)] == rows for name, rows in content.items())
    cut = [name for name in content if len(content[name]) < len(before[name])]
    assert sorted(cut) == sorted(line.rpartition(": the first ")[0] for line in shortened)


def test_an_error_keeps_cause_next_step_and_exit_code() -> None:
    error = {"kind": "UsageError", "cause": "nothing works", "next_step": "do this", "exit_code": 2}
    with pytest.raises(VerbFailed, match="nothing works") as caught:
        answer(Small, ended({"schema_version": "1.0", "error": error}, 2), 1000)
    assert (caught.value.next_step, caught.value.exit_code) == ("do this", 2)


@pytest.mark.parametrize("text", ["", "no json", "[1]", "null"])
def test_no_document_is_said_with_the_exit_code(text: str) -> None:
    with pytest.raises(VerbFailed, match="no document") as caught:
        answer(Small, Ended(143, text), 1000)
    assert caught.value.exit_code == 143


def test_a_part_that_is_not_there_says_why() -> None:
    why = [{"field": "rows", "reason": "nobody counted", "next": None}]
    content = {"rows": None, "unavailable": why}
    with pytest.raises(NothingRecorded, match="there is no rows: nobody counted"):
        answer(Small, ended(content), 1000, "rows")
