"""Every recipe of the developers' guide is followed on a copy of the sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

TOP = Path(__file__).resolve().parents[2]
GUIDE = (TOP / "docs" / "DEVELOPER_GUIDE.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\S+)(?: (?:new )?(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    kind: str  # python: a new file; diff: a change; console: commands and their output
    path: str
    text: str


def recipes() -> dict[str, list[Block]]:
    found = {}
    for section in re.split(r"^## ", GUIDE, flags=re.MULTILINE)[1:]:
        blocks = [Block(*match) for match in BLOCK.findall(section)]
        if blocks:
            found[section.splitlines()[0]] = blocks
    return found


def changed(text: str, change: str) -> str:
    """Each piece stands in the file exactly once: without its new lines, with its old ones."""
    for piece in re.split(r"^@@\n", change, flags=re.MULTILINE):
        lines = piece.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        new = "".join(line[1:] for line in lines if line[0] != "-")
        assert text.count(old) == 1, f"{text.count(old)} places look like:\n{old}"
        text = text.replace(old, new)
    return text


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """(command, lines of its output); a line that begins with "> " continues the command."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        more = [line[2:] for line in lines[1:] if line.startswith("> ")]
        yield "\n".join([lines[0], *more]), lines[1 + len(more) :]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for part in ("src", "tests/fakes", "tests/optimize"):
        shutil.copytree(TOP / part, tmp_path / part, ignore=ignored)
    for part in ("CMakeLists.txt", "native"):  # the same sources have the same virtual ROCm
        (tmp_path / part).symlink_to(TOP / part)
    for part in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(TOP / part, tmp_path / part)
    return tmp_path


TAKEN_OUT = "v_bfrev_b32"  # gfx942 is whole: an instruction is added where one was taken out


def without_an_instruction(copy: Path) -> list[Path]:
    """Files of the copy that name the instruction, now without these lines."""
    ignored = shutil.ignore_patterns("__pycache__")
    (copy / "native").unlink()  # a link to the sources
    for part in ("native/vgpu/isa", "native/vgpu/exec/vector", "tests/native/vector", "scripts"):
        shutil.copytree(TOP / part, copy / part, ignore=ignored)
    changed_files = []
    for file in [*(copy / "native").rglob("*.inc"), *(copy / "tests/native").rglob("*.py")]:
        lines = file.read_text().splitlines(keepends=True)
        left = [line for line in lines if TAKEN_OUT not in line]
        if left != lines:
            file.write_text("".join(left))
            changed_files.append(file.relative_to(copy))
    return changed_files


def test_an_instruction_that_is_added_again_leads_to_the_same_sources(
    copy: Path, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("virtual_rocm")  # llvm-mc
    files = without_an_instruction(copy)
    assert len(files) == 5  # three generated tables, the row and the reference
    follow("Add an instruction", copy)
    for file in files:
        assert (copy / file).read_text() == (TOP / file).read_text(), file


@pytest.mark.parametrize("name", [name for name in recipes() if name != "Add an instruction"])
def test_the_recipe_works(name: str, copy: Path, request: pytest.FixtureRequest) -> None:
    if name == "Add a transformation":
        request.getfixturevalue("virtual_rocm")  # its tests parse HIP
    follow(name, copy)


def follow(name: str, copy: Path) -> None:
    programs = copy / "bin"
    programs.mkdir()
    for program, module in (("rocm-perf", "-m rocm_perf_lab.cli.main"), ("python", "")):
        (programs / program).write_text(f'#!/bin/sh\nexec {sys.executable} {module} "$@"\n')
        (programs / program).chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONPATH": str(copy / "src"),
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    for block in recipes()[name]:
        if block.kind == "python":
            assert not (copy / block.path).exists()
            (copy / block.path).write_text(block.text)
        elif block.kind == "diff":
            file = copy / block.path
            file.write_text(changed(file.read_text(), block.text))
        else:
            for command, expected in commands(block.text):
                done = subprocess.run(
                    ["sh", "-c", command],
                    cwd=copy,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, f"{command}\n{done.stderr}"
                for line in expected:
                    assert line in done.stdout.splitlines(), f"{command}\n{done.stdout}"


def test_there_is_a_recipe_for_each_thing_that_there_are_many_of() -> None:
    assert list(recipes()) == [
        "Add a verb",
        "Add a GPU target",
        "Add a reader",
        "Add a reporter",
        "Add a counter, a metric, a rule and its advice",
        "Add an instruction",
        "Add a transformation",
    ]
