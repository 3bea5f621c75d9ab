"""The tables of the white paper are those of the benchmarks, and so are the numbers of its text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fakes.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]


def test_tables_are_those_of_the_benchmarks() -> None:
    module = load_script("write-whitepaper")
    text = module.PAGE.read_text("utf-8")
    assert module.page(text) == text, "run scripts/write-whitepaper.py: a table is old"
    assert len(re.findall(r"^\|---", text, re.MULTILINE)) >= 9


def test_a_table_that_is_gone_is_an_error() -> None:
    module = load_script("write-whitepaper")
    with pytest.raises(SystemExit, match="no table No such section"):
        module.page("<!-- table: benchmarks/README.md | No such section, 1 -->\n<!-- end -->")


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("benchmarks/verdicts.md", "the first advice is the mend in 12 of 25 (48 %)"),
        ("benchmarks/README.md", "Of the 112 programs that compile, have their data and print"),
        ("benchmarks/README.md", "96 (86 %) pass unmodified"),
        ("benchmarks/README.md", "Largest errors of 266 functions"),
        ("benchmarks/README.md", "9 miss one, each with its cause"),
        ("docs/proof.md", "at most one no-op in 50,000"),
        ("tests/adversarial/README.md", "34 known\nways to cheat"),
    ],
)
def test_what_the_text_quotes_still_stands_where_it_was_measured(file: str, said: str) -> None:
    text = " ".join((ROOT / file).read_text("utf-8").split())
    assert " ".join(said.split()) in text
