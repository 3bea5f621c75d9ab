"""Some pairs of the labelled corpus; ``python -m benchmarks.verdicts`` runs them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks import walls
from benchmarks.verdicts.earlier_pairs import BLIND, PAIRS, SECOND
from benchmarks.verdicts.measure import Answer, answer, compile_program, sums
from benchmarks.verdicts.pair import PROGRAMS
from benchmarks.verdicts.pairs import ALL, BY_NAME, IN_CI, SEEN
from benchmarks.verdicts.table import counts, table

from rocm_perf_lab.analysis.verdicts.advice.kernels import ROWS
from rocm_perf_lab.analysis.verdicts.advice.outside import OUTSIDE

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
DOCUMENTED = BENCHMARKS / "verdicts.md"


@pytest.mark.native
@pytest.mark.parametrize(
    "name", [*IN_CI[:2], *(pytest.param(name, marks=pytest.mark.weekly) for name in IN_CI[2:])]
)
def test_the_first_advice_is_the_mend(name: str, virtual_rocm: Path, tmp_path: Path) -> None:
    pair = BY_NAME[name]
    program = compile_program(pair.program, virtual_rocm, tmp_path)
    slow, mended = sums(program, pair)
    assert slow == mended
    found = answer(pair, program, virtual_rocm)
    assert found.gain > 1.1
    assert found.is_first, found
    assert found.bound is not None
    assert found.bound_holds, found


def test_the_corpus_is_what_its_page_says() -> None:
    """Forty programs at least, every mend one that can be advised, every pair in the table."""
    assert 2 * len(PAIRS) >= 40
    assert len(BY_NAME) == len(ALL)
    advised = {row.mend for row in (*ROWS, *OUTSIDE)} | {"beside"}
    assert {pair.mend for pair in ALL} <= advised
    assert {pair.program for pair in ALL} == {path.stem for path in PROGRAMS.glob("*.hip")}
    page = DOCUMENTED.read_text()
    for pair in ALL:
        assert f"| {pair.name} | {pair.changed} | {pair.mend} |" in page
    assert {*SEEN, *IN_CI} <= {pair.name for pair in PAIRS}


def test_each_letter_of_a_program_has_a_name_of_its_own() -> None:
    """Names are short words, each once, and none is a label."""
    letters: dict[str, str] = {}
    for pair in ALL:
        letters[pair.program] = letters.get(pair.program, "") + pair.letter
    assert all("abcdefgh".startswith(found) for found in letters.values())
    names = [*letters, *BY_NAME]
    assert len(names) == len(set(names))
    assert not [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]{3,39}", name)]
    assert not {pair.mend for pair in ALL} & set(names)


def test_the_walls_that_were_measured_are_the_first_of_the_lot() -> None:
    rows = walls.read_rows()
    assert [row.pair for row in rows] == [pair.name for pair in walls.drawn()][: len(rows)]
    assert walls.table(rows) in (BENCHMARKS / "README.md").read_text()


def test_misses_are_counted_and_shown() -> None:
    seen, unseen = BY_NAME[min(SEEN)], next(p for p in PAIRS if p.name not in SEEN)
    right = Answer(seen, "latency bound", (seen.mend,), 2.0, 3.0)
    second = Answer(seen, "latency bound", ("other", seen.mend), 2.0, 1.5)
    wrong = Answer(unseen, "latency bound", ("other",), 2.0, None)
    assert counts([right, second, wrong]).startswith(
        "the first advice is the mend in 1 of 3, among the three in 2, the bound holds in 2"
    )
    text = table([right, second, wrong])
    assert text.index("not looked at: the first advice is the mend in 0 of 1") < text.index(
        "looked at: the first advice is the mend in 1 of 2"
    )
    assert "**not first** **bound**" in text
    blind = Answer(BLIND[0], "latency bound", (BLIND[0].mend,), 2.0, 3.0)
    assert "The blind set: the first advice is the mend in 1 of 1" in table([right, blind])
    later = Answer(SECOND[0], "latency bound", ("other",), 2.0, None)
    assert "The second blind set: the first advice is the mend in 0 of 1" in table([later, blind])
    assert "**not advised**" in text
