"""Units with four significant digits, and columns that line up."""

from __future__ import annotations

import pytest

from rocm_perf_lab.reporters.text_table import Column, bytes_short, duration, percent, render


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"),
        (0, "0 ns"),
        (999, "999 ns"),
        (999.5, "999.5 ns"),
        (1000, "1 us"),
        (15917, "15.92 us"),
        (2571000, "2.571 ms"),
        (1.2e9, "1.200 s"),
        (4.5e12, "4500 s"),
        (9_999_600, "10.00 ms"),
        (99_996, "100.0 us"),
        (999_960, "1000 us"),
    ],
)
def test_duration(ns: float | None, text: str) -> None:
    assert duration(ns) == text


@pytest.mark.parametrize(
    ("count", "text"), [(None, "-"), (0, "0"), (512, "512"), (65536, "64K"), (1536, "1.5K")]
)
def test_bytes(count: int | None, text: str) -> None:
    assert bytes_short(count) == text


def test_percent() -> None:
    assert (percent(0.1234), percent(None)) == ("12.3%", "-")


def test_columns_line_up() -> None:
    text = render([Column("name", align_left=True), Column("n")], [["a", "10"], ["long", "1"]])
    assert text == "name   n\na     10\nlong   1"
