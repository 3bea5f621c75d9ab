"""Events and memory of other processes, and calls that older programs make."""

from __future__ import annotations

from pathlib import Path

import pytest
from hip_support import PROGRAMS, case_names, compiled, needs_hip, run, shared_folder

pytestmark = needs_hip


@pytest.mark.parametrize("case", case_names("sharing"))
def test_sharing(tmp_path_factory: pytest.TempPathFactory, case: str) -> None:
    folder: Path = shared_folder(tmp_path_factory)
    done = run(compiled(folder, PROGRAMS / "sharing.hip", "-funsigned-char"), case)
    assert done.returncode == 0, done.stderr
