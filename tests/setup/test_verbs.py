"""``cli/`` holds verbs and what they share, in short functions; ``measure/`` is what they call."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from rocm_perf_lab.cli import main

SOURCE = Path(__file__).resolve().parents[2] / "src" / "rocm_perf_lab"
CLI = SOURCE / "cli"
SHARED = {"collector", "__init__", "main", "options", "parser", "search_options"}
LONGEST = 40  # lines of a function: under it


def verbs() -> set[str]:
    parser = main.build_parser()
    (found,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return {name.replace("-", "_") for name in found.choices}


def test_every_file_is_a_verb() -> None:
    assert {path.stem for path in CLI.rglob("*.py")} - SHARED <= verbs()


def functions(folder: Path) -> Iterator[tuple[str, int]]:
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{path.name}: {node.name}", (node.end_lineno or 0) - node.lineno + 1


@pytest.mark.parametrize("room", ["cli", "prove", "measure"])
def test_functions_are_short(room: str) -> None:
    assert {name: lines for name, lines in functions(SOURCE / room) if lines >= LONGEST} == {}
