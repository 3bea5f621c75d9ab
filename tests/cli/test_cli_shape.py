"""A verb is arguments in, one call, one reporter, an exit code: ``cli/`` holds nothing else."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.trace_samples import sample_trace
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

CLI = Path(__file__).resolve().parents[2] / "src" / "rocm_perf_lab" / "cli"
NO_VERBS = {
    "__init__.py",
    "collector.py",
    "main.py",
    "options.py",
    "parser.py",
    "search_options.py",
}
LONGEST_FUNCTION = 39
FILES = sorted(CLI.glob("*.py"))

# What makes a start slow; a verb imports them when it runs.
HEAVY = ("numpy", "msgspec", "sqlite3", "rocm_perf_lab.analysis", "rocm_perf_lab.measure")


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and lines of every function of a file, decorators left out."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_functions_of_the_command_line_are_short(path: Path) -> None:
    long = {name: lines for name, lines in functions(path) if lines > LONGEST_FUNCTION}
    assert not long, f"{path.name}: a verb calls what computes; too long: {long}"


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.name not in NO_VERBS], ids=lambda path: path.stem
)
def test_every_file_is_a_verb(path: Path) -> None:
    names = [name for name, _ in functions(path)]
    assert "add_parser" in names, f"{path.name} is not a verb: its code belongs into another room"
    assert any(name == "run" or name.startswith("run_") for name in names)


def test_the_length_of_a_function_is_counted(tmp_path: Path) -> None:
    (tmp_path / "verb.py").write_text("def run():\n" + "    pass\n" * 39)
    assert list(functions(tmp_path / "verb.py")) == [("run", 40)]


def test_nothing_heavy_is_imported_to_start() -> None:
    program = "import sys, rocm_perf_lab.cli.main as m; m.build_parser(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = [name for name in done.stdout.split() if name.startswith(HEAVY)]
    assert not loaded


def test_a_verb_imports_no_other_verb() -> None:
    program = (
        "import sys, rocm_perf_lab.cli.main as m\n"
        "code = m.main(['judge', 'nowhere.json'])\n"
        "print(code, *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    code, *modules = done.stdout.split()
    assert code != "0"
    loaded = {name.rpartition(".")[2] for name in modules if "perf_lab.cli." in name}
    assert loaded == {"collector", "judge", "main", "options", "parser"}


def test_no_dataclass_is_written_to_start(tmp_path: Path) -> None:
    """Each takes a millisecond to be written and compiled, a struct a fiftieth of one."""
    recording = tmp_path / "1_results.db"
    write_rocpd(sample_trace(), recording)
    program = (
        "import dataclasses, sys\n"
        "written, process = [], dataclasses._process_class\n"
        "def noted(cls, *options):\n"
        "    written.append(cls.__module__)\n"
        "    return process(cls, *options)\n"
        "dataclasses._process_class = noted\n"
        "import rocm_perf_lab.cli.main as m\n"
        "code = m.main(['profile', '--quiet', '--from', sys.argv[1]])\n"
        "print(code, *[name for name in written if name.startswith('rocm_perf_lab')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, recording], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1].split() == ["0"]
