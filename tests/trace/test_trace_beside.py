"""Files beside others: new names, nothing followed, nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rocm_perf_lab.optimize.deliver import replace_whole
from rocm_perf_lab.prove.evidence.durable import write_durable
from rocm_perf_lab.trace.files.beside import folder_beside, written_beside


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    """Under every name that versions before this one would have used."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    path = tmp_path / "out.json"
    for name in (f".out.json.{os.getpid()}", ".out.json.writing", ".out.json.rocm-perf-writing"):
        (tmp_path / name).symlink_to(victim)
    with written_beside(path) as beside:
        beside.write_text("ours")
    write_durable(path, b"ours")
    replace_whole(path, b"ours")
    assert victim.read_text() == "mine"
    assert path.read_text() == "ours"
    assert path.stat().st_mode & 0o777 == 0o600


def test_names_are_new_each_time(tmp_path: Path) -> None:
    with written_beside(tmp_path / "a") as one, written_beside(tmp_path / "a") as other:
        assert one != other


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError), written_beside(tmp_path / "a"):
        raise KeyError
    with pytest.raises(KeyError), folder_beside(tmp_path / "b"):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_a_folder_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "old").touch()
    with folder_beside(tmp_path / "b") as beside:
        (beside / "new").touch()
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_the_longest_name_that_a_file_system_takes(tmp_path: Path) -> None:
    path = tmp_path / ("\u00e9" * 127)
    with written_beside(path) as beside:
        beside.write_text("x")
    assert path.read_text() == "x"
