"""Every run of an application gets the same standard input, whatever it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import sys
from rocm_perf_lab.collect.process import Stdout, run_process
for argv in {runs}:
    done = run_process(argv, stdout=Stdout.CAPTURE, timeout_s=20)
    assert done.ok, done
    sys.stdout.write(done.answer)
"""
CAT, FIRST, NOTHING = ["cat"], ["head", "-c", "3"], ["true"]
LONG = "".join(f"line {number}\n" for number in range(40_000))  # more than a pipe holds


def outputs(runs: list[list[str]], **stdin: Any) -> str:
    program = [sys.executable, "-c", PROGRAM.format(runs=runs)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, **stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_pipe() -> None:
    assert outputs([CAT, NOTHING, CAT], input=LONG) == LONG + LONG


def test_a_run_may_read_less_than_a_later_one() -> None:
    assert outputs([FIRST, CAT, FIRST], input="abcdef") == "abc" + "abcdef" + "abc"


def test_a_file_from_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("header body")
    with open(tmp_path / "input", "rb", buffering=0) as stream:
        stream.read(7)
        assert outputs([CAT, FIRST, CAT], stdin=stream) == "body" + "bod" + "body"


def test_no_input_at_all() -> None:
    assert outputs([CAT, CAT], stdin=subprocess.DEVNULL) == ""


def test_a_pipe_that_stays_open_holds_nothing_up() -> None:
    program = [sys.executable, "-c", PROGRAM.format(runs=[NOTHING, FIRST, NOTHING])]
    with subprocess.Popen(program, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin is not None
        process.stdin.write("abcdef")
        process.stdin.flush()
        assert process.wait(30) == 0  # our end is still open
        assert process.stdout is not None
        assert process.stdout.read() == "abc"


@pytest.mark.parametrize("argv", [["sh", "-c", "exec <&-; sleep 0.1"], NOTHING])
def test_a_program_that_does_not_read(argv: list[str]) -> None:
    assert outputs([argv, CAT], input=LONG) == LONG
