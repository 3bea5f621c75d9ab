"""`rocm-perf examples`: copies, and never over somebody's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_perf_lab.cli.main import main


def test_the_examples_are_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "mine"
    assert main(["examples", str(place)]) == 0
    files = [path for path in place.rglob("*") if path.is_file()]
    assert (place / "untuned").is_dir()
    assert f"Result: {len(files)} files in {place}" in capsys.readouterr().out


def test_a_folder_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").touch()
    assert main(["examples", str(tmp_path)]) == 2
    assert "is in use" in capsys.readouterr().err
    assert main(["examples", str(tmp_path / "thesis.tex")]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_place_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "/proc/nowhere"]) == 2
    assert "cannot be written" in capsys.readouterr().err
