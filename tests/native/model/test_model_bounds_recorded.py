"""A dispatch whose time a bound decided says so in its record; others say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hip_support import PROGRAMS, compiled, nanoseconds, needs_hip, shared_folder, trace_records

pytestmark = needs_hip


def test_a_record_names_the_bound_that_decided(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = compiled(shared_folder(tmp_path_factory), PROGRAMS / "hidden.hip")
    bounded, other = trace_records(program, tmp_path)
    assert bounded["bound"] == "atomics on a line"
    assert bounded["simulated_ns"] < bounded["bound_ns"]
    assert nanoseconds(bounded) == bounded["bound_ns"]
    assert not {"bound", "bound_ns", "simulated_ns"} & other.keys()
