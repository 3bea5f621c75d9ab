"""Fields of quoted lines as groups, beside what Python makes of each field."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.trace.csv import quoted
from rocm_perf_lab.trace.csv.quoted import QuotedLines, quoted_lines
from rocm_perf_lab.trace.row_tables import indexes

# Few characters and lengths about a multiple of eight: neighbours that share a part are common.
_WORDS = st.text(alphabet="ab\n", max_size=3).map(lambda t: t * 6) | st.text(max_size=20)
_FIELDS = _WORDS.map(lambda text: text.replace('"', "").encode("utf-8", "replace").decode())


def made(rows: list[list[str]]) -> QuotedLines:
    text = "".join(",".join(f'"{field}"' for field in row) + "\n" for row in rows)
    found = quoted_lines(text, len(rows[0]))
    assert found is not None
    return found


@given(st.lists(st.lists(_FIELDS, min_size=3, max_size=3), min_size=1, max_size=30))
def test_lines_are_grouped_by_what_they_say(rows: list[list[str]]) -> None:
    for first, last in ((0, 0), (0, 1), (1, 2)):
        groups = made(rows).spans(first, last)
        assert groups is not None
        said = ['","'.join(row[first : last + 1]) for row in rows]
        assert [groups.texts[group] for group in groups.of_line.tolist()] == said
        in_order = [(text, said.index(text)) for text in dict.fromkeys(said)]
        assert groups.in_order() == in_order


def test_one_text_that_is_a_part_of_another_is_another() -> None:
    rows = [["a" * length] for length in (*range(20), *reversed(range(20)))]
    groups = made(rows).spans(0, 0)
    assert groups is not None
    assert len(groups.texts) == 20


def test_each_character_counts() -> None:
    usual = "k" * 20
    rows = [[usual], *([usual[:at] + "x" + usual[at + 1 :]] for at in range(20))]
    groups = made(rows).spans(0, 0)
    assert groups is not None
    assert len(groups.texts) == 21


def test_texts_that_cannot_be_told_apart_by_their_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quoted, "_MIXER", np.uint64(0))  # all keys are 0
    assert made([["a"], ["b"]]).spans(0, 0) is None
    assert made([["a"], ["a\0"]]).spans(0, 0) is None
    assert made([["a"], ["a"]]).spans(0, 0) is not None


@pytest.mark.parametrize(("length", "grouped"), [(1024, True), (1025, False)])
def test_a_very_long_text_is_left_to_others(length: int, grouped: bool) -> None:
    assert (made([["x" * length], ["y"]]).spans(0, 0) is not None) == grouped


@pytest.mark.parametrize("character", [chr(code) for code in range(32, 128)])
def test_of_single_characters_only_digits_are_numbers(character: str) -> None:
    if character != '"':
        found = made([["7"], [character]]).integers(0)
        assert (found.tolist() if found is not None else None) == (
            [7, int(character)] if character.isdigit() else None
        )


def test_newlines_in_fields_count_as_the_reader_counts_them() -> None:
    rows = [["a\nb", "c"], ["d", "e\n\nf"], ["g", "h"]]
    lines = made(rows)
    text = "".join(",".join(f'"{field}"' for field in row) + "\n" for row in rows)
    reader = csv.reader(io.StringIO(text, newline=""))
    list(reader)
    assert lines.newlines == reader.line_num == 6


@given(st.lists(st.integers(-3, 12) | st.integers(-(2**62), 2**62), min_size=1, max_size=30))
def test_ids_are_looked_up_once_in_the_order_of_their_first_line(ids: list[int]) -> None:
    asked: list[int] = []

    def index(one: int) -> int:
        asked.append(one)
        return len(asked) + 5

    found = indexes(np.array(ids, dtype=np.int64), index)
    assert asked == list(dict.fromkeys(ids))
    assert found.tolist() == [asked.index(one) + 6 for one in ids]
