"""The prose linter: what it reads, what it finds, and the examples of the style guide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fakes.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]
prose = load_script("prose")
WORDS = prose.words_of(prose.WORDS.read_text("utf-8"))


def found(name: str, source: str) -> list[tuple[int, str]]:
    return [(one.line, one.found) for one in prose.check(Path(name), source, WORDS.rules)]


def pairs() -> list[tuple[str, str]]:
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = guide.partition("| not | but |\n")[2].partition("\n\n")[0].splitlines()[1:]
    rows = [line.strip("| ").split(" | ") for line in table]
    return [(before, after) for before, after in rows]


@pytest.mark.parametrize(("before", "after"), pairs())
def test_each_pair_of_the_style_guide_is_checked(before: str, after: str) -> None:
    assert found("page.md", before)
    assert not found("page.md", after)


def test_the_style_guide_has_thirty_pairs() -> None:
    assert len(pairs()) >= 30


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("a.md", "one\ntwo text of a\nstranger", [(2, "text of a stranger")]),
        ("a.md", "```text\na mend\n```\n`mend` [x](mend.md)\nmend", [(5, "mend")]),
        ("a.md", "<!-- line: b | c -->\n> on 3 June\n<!-- end -->\non 4 June", [(4, "4 June")]),
        ("a.py", "x = 'mend'\ny = 'the mend'\n", [(2, "mend")]),  # the first one is a name
        ("a.py", "mend = 1  # the mend\n", [(1, "mend")]),
        ("a.py", "raise E(f'{path} is no ' f'{kind} file, make ' 'room')\n", [(1, "make room")]),
        ("a.py", "# what became\n# of it\n", [(1, "what became of")]),
        ("a.py", "# the loop is built anew\n", []),  # a rule for pages
        ("a.cpp", '#include "crowd.h"\nint crowd; fail("no such crowd");\n', [(2, "crowd")]),
        ("a.sh", "echo 'make room'  # mend\n", [(1, "mend"), (1, "make room")]),
        ("a.md", "there is no file, and the answer is no error", []),
        ("a.md", "it is no file", [(1, "is no file")]),
    ],
)
def test_what_is_read(name: str, source: str, expected: list[tuple[int, str]]) -> None:
    assert found(name, source) == expected


def test_paths_that_are_not_checked_exist_and_are_left_out() -> None:
    assert all(path.exists() for path in WORDS.unread)
    files = prose.files(WORDS)
    assert ROOT / "README.md" in files
    assert ROOT / "CHANGELOG.md" in files
    assert ROOT / "docs" / "schema" / "CHANGELOG.md" not in files
    for path in WORDS.unread:
        assert not [file for file in files if path == file or path in file.parents]


def test_a_finding_is_one_line_with_place_and_advice_and_fails_the_lint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("Fine.\nThe crowd.\n")
    assert prose.main([str(page)]) == 1
    said = capsys.readouterr()
    assert said.out == "page.md:2: 'crowd': the workgroups\n"
    assert re.fullmatch(r"1 found: see 'How we write' in CONTRIBUTING.md\n", said.err)
    page.write_text("Fine.\n")
    assert prose.main([str(page)]) == 0
    assert capsys.readouterr().out == ""
