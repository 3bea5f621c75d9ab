"""What a word on the command line is: a program, a command, a recording or a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.fake_rocm import write_program
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.compare.sides import CommandSide, RecordingSide, same_kind, side_of


def argv(text: str) -> tuple[str, ...]:
    side = side_of(text)
    assert isinstance(side, CommandSide)
    return side.command.argv


def test_a_command_is_split_and_never_given_to_a_shell() -> None:
    assert argv("./app 100 'two words'") == ("./app", "100", "two words")
    assert argv("./app $HOME; rm *") == ("./app", "$HOME;", "rm", "*")


def test_a_program_that_is_there_is_one_word_whatever_its_name(tmp_path: Path) -> None:
    program = write_program(tmp_path / "my app", "#!/bin/sh\n")
    assert argv(str(program)) == (str(program),)


@pytest.mark.parametrize("name", ["results.db", "trace.csv", "rocprof.json", "anything"])
def test_a_file_that_is_no_program_is_a_recording(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('{"rocprofiler-sdk-tool": []}')
    assert side_of(str(path)) == RecordingSide(str(path), path)
    assert side_of(str(tmp_path)) == RecordingSide(str(tmp_path), tmp_path)


def test_a_name_like_a_file_that_is_not_there_is_no_command() -> None:
    with pytest.raises(UsageError, match=r"there is no file base\.json"):
        side_of("base.json")
    assert argv("./app --in base.json") == ("./app", "--in", "base.json")


def test_two_of_a_kind_are_needed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="BASE is a command and HEAD a recording"):
        same_kind(side_of("./app"), side_of(str(tmp_path)))
