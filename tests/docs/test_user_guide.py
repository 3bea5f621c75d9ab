"""Tutorials are followed on the virtual ROCm: every step prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fakes.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]


guide = load_script("follow-guide")


def check(page: Path, prefix: Path, folder: Path, weekly: bool = False) -> int:
    followed = 0
    for step, real in guide.follow(page.read_text("utf-8"), prefix, folder, weekly):
        cure = "run scripts/follow-guide.py --write and read what it changed"
        assert guide.same(step.shown, real), f"{cure}\n$ {step.text}\n{real}"
        followed += 1
    return followed


@pytest.mark.native
@pytest.mark.timeout(900)  # half a minute of processor time
def test_each_step_prints_what_the_page_shows(virtual_rocm: Path, tmp_path: Path) -> None:
    assert check(guide.PAGE, virtual_rocm, tmp_path) >= 12
    assert (tmp_path / "report.html").stat().st_size > 1 << 20


@pytest.mark.native
@pytest.mark.parametrize("page", guide.PAGES[1:], ids=lambda page: page.name)
def test_so_do_the_examples_of_other_pages(page: Path, virtual_rocm: Path, tmp_path: Path) -> None:
    assert check(page, virtual_rocm, tmp_path) >= 5


@pytest.mark.weekly
@pytest.mark.native
@pytest.mark.timeout(3600)
def test_so_do_the_steps_that_take_minutes(virtual_rocm: Path, tmp_path: Path) -> None:
    assert check(guide.PAGE, virtual_rocm, tmp_path, weekly=True) >= 14


@pytest.mark.parametrize(
    ("shown", "real", "expected"),
    [
        ("a  1.00x\n", "a 1.01x\n", True),  # 1 % of a number, and the width of a column
        ("a 1.00x", "a 1.03x", False),
        ("a 1", "b 1", False),
        ("a\n...\nb", "a\nb", True),
        ("a\n...\nb", "a\nx\ny\nb", True),
        ("took ... ms", "took 17.3 ms", True),
        ("took ... ms\nb 2", "took 17.3 ms\nb 3", False),  # numbers behind a gap still count
        ("a", "a\nb", False),
        ("p = 1.7e-05", "p = 1.7e-02", False),
        ("gfx942 a", "gfx950 a", False),  # a digit of a name is not a number
    ],
)
def test_what_counts_as_the_same(shown: str, real: str, expected: bool) -> None:
    assert guide.same(shown, real) is expected


def test_the_numbers_of_the_text_stand_in_the_output() -> None:
    """What the tutorial tells about its figures is what it has shown."""
    page = guide.PAGE.read_text("utf-8").split("# The same on real hardware")[0]
    output = " ".join(re.findall(r"^```console.*?^```$", page, re.MULTILINE | re.DOTALL))
    told = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    for number in re.findall(r"(\d+\.\d+)(?= (?:%|us|times))", told):
        found = [float(n) for n in re.findall(r"\d+\.\d+", output)]
        places = len(number.split(".")[1])
        assert float(number) in [round(n, places) for n in found], number


def test_the_readme_begins_with_output_of_the_tutorial() -> None:
    start = (ROOT / "README.md").read_text("utf-8").splitlines()[:40]
    block = start[start.index("```text") + 1 : start.index("```")]
    shown = set(guide.PAGE.read_text("utf-8").splitlines())
    lines = [line for line in block if not line.startswith("$ ")]
    assert len(lines) >= 8
    assert [line for line in lines if line not in shown] == []
