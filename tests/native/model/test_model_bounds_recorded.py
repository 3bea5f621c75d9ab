"""A dispatch whose time a bound decided says so in its record; others say nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hip_support import PROGRAMS, compiled, needs_hip, run, shared_folder

pytestmark = needs_hip


def test_a_record_names_the_bound_that_decided(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = compiled(shared_folder(tmp_path_factory), PROGRAMS / "hidden.hip")
    done = run(program, environment={"VROCM_TRACE": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.iterdir()
    records = map(json.loads, file.read_text().splitlines())
    bounded, other = (record for record in records if record["record"] == "dispatch")
    assert bounded["bound"] == "atomics on a line"
    assert bounded["simulated_ns"] < bounded["bound_ns"]
    assert bounded["end_ns"] - bounded["start_ns"] == bounded["bound_ns"]
    assert not {"bound", "bound_ns", "simulated_ns"} & other.keys()
