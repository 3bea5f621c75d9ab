"""A virtual prefix of which single programs are replaced, and a run of some steps on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fakes.fake_rocm import write_program
from rocm_perf_lab.vrocm.whole import LIST


@pytest.fixture
def broken(virtual_rocm: Path, tmp_path: Path) -> Callable[[str, str], Path]:
    """A prefix like the virtual one, with a shell script in the place of one of its programs."""

    def prefix(program: str, script: str) -> Path:
        folder = tmp_path / "prefix"
        (folder / "bin").mkdir(parents=True)
        for part in virtual_rocm.iterdir():
            if part.name not in ("bin", LIST.parent.name):
                (folder / part.name).symlink_to(part)
        # Without the list of its files: nobody takes it for a prefix that was damaged.
        shutil.copytree(virtual_rocm / LIST.parent, folder / LIST.parent)
        (folder / LIST).unlink()
        for tool in (virtual_rocm / "bin").iterdir():
            if tool.name != program:
                (folder / "bin" / tool.name).symlink_to(tool)
        real = virtual_rocm / "bin" / program
        write_program(folder / "bin" / program, f"#!/bin/sh\nreal='{real}'\n{script}\n")
        assert shutil.which(program, path=str(folder / "bin"))
        return folder

    return prefix
