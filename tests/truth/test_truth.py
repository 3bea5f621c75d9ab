"""The harness for recorded times, with a program that is a shell script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks import fidelity
from benchmarks.truth.__main__ import main
from benchmarks.truth.figures import Pair, figures_of, ranks, spearman
from benchmarks.truth.journal import Journal
from benchmarks.truth.programs import Outcome
from benchmarks.truth.split import FITTED, HALVES, OTHER, drawn, half_of, sample
from benchmarks.truth.table import HERE, Row, load_rows, load_table

from rocm_perf_lab.arch.fidelity import FIDELITY_FILE, RecordedTable, load_fidelity

TABLE = {
    "rows": "rows.csv",
    "columns": ["n", "tile", "way"],
    "time": "us",
    "unit": "us",
    "group_by": ["n"],
    "split_by": ["tile", "way"],
    "chip": "a chip",
    "conditions": "once",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sizes, four tiles, four ways; the recorded time is n * tile / 16 + way."""
    (tmp_path / "table.json").write_text(json.dumps(TABLE))
    lines = ["n,tile,way,us,more"]
    for n in (16, 32):
        for tile in (16, 32, 64, 128):
            lines += [f"{n},{tile},{way},{n * tile / 16 + way},x" for way in range(4)]
    (tmp_path / "rows.csv").write_text("\n".join([*lines, "64,16,0,,x", ""]))
    return tmp_path


def write_program(folder: Path, text: str) -> None:
    program = folder / "programs" / "table" / "run"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f'#!/bin/sh\nfor a; do eval "$a"; done\necho $a >>{folder}/ran\n{text}\n')
    program.chmod(0o755)


def harness(folder: Path, *more: str) -> int:
    places = {"recordings": "", "programs": "programs", "journal": "journal.jsonl"}
    options = [f"--{name}={folder / place}" for name, place in places.items()]
    return main([str(folder / "table.json"), "--half", "all", *options, *more])


def test_a_program_that_takes_twice_as_long_everywhere(folder, capsys) -> None:
    write_program(folder, 'echo "took $((2 * (n * tile / 16 + way)))"')
    assert harness(folder, "--kind", "tile", "--kind", "time") == 0
    out = capsys.readouterr().out
    assert "32 of 32 rows, 0 without a time" in out
    assert "| 16 | 16 | 2.00 | 0 % | 0 % | 1.000 | 1.00 |" in out
    assert "| **all** | 32 | 2.00 | 0 % | 0 % | 1.000 at worst | 1.00 in the median, 1.00" in out
    assert "| 128 | 8 | 2.00 | 0 % |" in out  # by tile
    assert "| 16 to 32 | 4 | 2.00 | 0 % |" in out  # by recorded time: n = 16, tile = 16


def test_a_result_is_kept_for_the_verbs_that_quote_it(folder, monkeypatch) -> None:
    write_program(folder, 'echo "took $((n * tile / 16 + way))"')
    kept = folder / "fidelity.json"
    kept.write_text(FIDELITY_FILE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(fidelity, "FIDELITY_FILE", kept)
    before = load_fidelity()
    assert harness(folder, "--publish", "a kind") == 0
    found = load_fidelity(kept)
    assert found.tables == {
        **before.tables,
        "table": RecordedTable("a kind", 32, 32, 32, 1.0, 1.0, 1.0),
    }
    assert (found.pairs, found.timings) == (before.pairs, before.timings)


def test_rows_that_do_not_compete_have_no_choice(folder, capsys, monkeypatch) -> None:
    alone = {**TABLE, "group_by": ["n", "tile", "way"]}
    (folder / "table.json").write_text(json.dumps(alone))
    write_program(folder, 'echo "took $((n * tile / 16 + way))"')
    kept = folder / "fidelity.json"
    kept.write_text(FIDELITY_FILE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(fidelity, "FIDELITY_FILE", kept)
    assert harness(folder, "--publish", "a kind") == 0
    out = capsys.readouterr().out
    assert "| 16 x 16 x 0 | 1 | 1.00 | 100 % | 100 % | - | - |" in out
    assert "| **all** | 32 | 1.00 | 100 % | 100 % | - | - |" in out
    assert load_fidelity(kept).tables["table"] == RecordedTable(
        "a kind", 32, 32, 32, None, None, None
    )


def test_the_wrong_choice_is_priced_at_the_chip(folder, capsys) -> None:
    write_program(folder, "[ $tile = 128 ] && echo 1 || echo $((n * tile / 16 + way))")
    harness(folder)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| 16 | 16 ")]
    assert lines[0].endswith("| 8.00 |")
    rows = [Row({"tile": tile}, time) for tile, time in (("a", 1.0), ("b", 2.0), ("c", 3.0))]
    found = figures_of([Pair(rows[0], 9), Pair(rows[1], 2), Pair(rows[2], 1)])
    assert found.choice == 3.0
    assert found.correlation == -1.0


def test_what_failed_is_said_and_counts_as_no_time(folder, capsys) -> None:
    write_program(folder, '[ $tile = 64 ] && { echo "no such tile" >&2; exit 3; }; echo 5')
    harness(folder)
    out = capsys.readouterr().out
    assert "24 of 32 rows, 8 without a time" in out
    assert "* n=16,tile=64,way=0: exit 3: no such tile" in out
    write_program(folder, "echo nothing")
    (folder / "journal.jsonl").unlink()
    assert harness(folder) == 1
    assert "no time in its output" in capsys.readouterr().out


def test_a_run_that_was_interrupted_goes_on(folder) -> None:
    write_program(folder, "echo 5")
    harness(folder)
    journal = folder / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:30]) + lines[30][:20])  # the last one was cut off
    (folder / "ran").unlink()
    harness(folder)
    assert len((folder / "ran").read_text().splitlines()) == 2
    assert len(Journal(journal).known) == 32


def test_rows_run_in_parallel_are_the_same_rows(folder) -> None:
    write_program(folder, "echo $((n + tile + way))")
    harness(folder, "--jobs", "4")
    known = Journal(folder / "journal.jsonl").known
    assert known["n=32,tile=64,way=3"] == Outcome(99.0)
    assert len(known) == 32


@pytest.mark.parametrize("what", ["programs", "rows.csv"])
def test_what_is_absent_is_skipped_with_the_reason(folder, capsys, what) -> None:
    if what == "rows.csv":
        (folder / what).unlink()
    assert harness(folder) == 0
    out = capsys.readouterr().out
    assert "table: skipped, " in out
    assert what in out


def test_the_lot_halves_configurations_and_does_not_change(folder) -> None:
    table = load_table(folder / "table.json")
    rows = load_rows(table, folder)
    halves = [drawn(table, rows, half) for half in HALVES]
    assert sorted(map(id, halves[0] + halves[1])) == sorted(map(id, rows))
    assert {row.key(table.split_by) for row in halves[0]}.isdisjoint(
        row.key(table.split_by) for row in halves[1]
    )
    gemm = load_table(HERE / "tables" / "measured-gemm.json")
    values = dict.fromkeys(gemm.columns, "128")
    drew = [half_of(gemm, Row({**values, "pipeline": str(n)}, 1)) for n in range(4)]
    assert drew == [FITTED, OTHER, OTHER, OTHER]


def test_a_sample_has_whole_configurations(folder) -> None:
    table = load_table(folder / "table.json")
    rows = load_rows(table, folder)
    some = sample(table, rows, 6, seed=1)
    assert len(some) == 6
    assert len({row.key(("tile", "way")) for row in some}) == 3
    assert {row.key(("tile", "way")) for row in some} != {
        row.key(("tile", "way")) for row in sample(table, rows, 6, seed=2)
    }


def test_equal_values_share_their_ranks() -> None:
    assert ranks([3, 1, 3, 2]) == [3.5, 1, 3.5, 2]
    assert spearman([1, 2, 3, 4], [10, 20, 40, 30]) == pytest.approx(0.8)
    assert spearman([1, 2], [1, 2]) is None
    assert spearman([1, 2, 3], [5, 5, 5]) is None


@pytest.mark.parametrize(
    "change", [{"group_by": ["none"]}, {"columns": "n"}, {"time": None}, {"time": "absent"}]
)
def test_a_table_of_another_form_is_refused(folder, capsys, change) -> None:
    document = {**TABLE, **change}
    if document["time"] is None:
        del document["time"]
    (folder / "table.json").write_text(json.dumps(document))
    assert harness(folder) == 2
    assert str(folder) in capsys.readouterr().err


def test_the_committed_tables_are_of_the_form() -> None:
    names = {path.stem: load_table(path) for path in (HERE / "tables").glob("*.json")}
    assert {"measured-gemm", "measured-assembly"} <= set(names)
