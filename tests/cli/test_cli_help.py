"""The first minutes at a terminal: first steps, help that ends with an example, what was meant."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rocm_perf_lab.cli.main import GROUPS, VERBS, build_parser, main, split_application

CLI = Path(__file__).resolve().parents[2] / "src" / "rocm_perf_lab" / "cli"
MOST_START_S = 0.25  # of processor time


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in dict.fromkeys(action.choices.values()):
                yield from parsers(inner)


ALL = list(parsers(build_parser()))


def examples(parser: argparse.ArgumentParser) -> list[str]:
    """The commands of the last paragraph, without their comments."""
    heading, *lines = parser.format_help().rstrip("\n").rpartition("\n\n")[2].splitlines()
    assert heading in ("example:", "examples:"), heading
    joined = "\n".join(lines).replace("\\\n", " ")
    return [line.partition("  #")[0].strip() for line in joined.splitlines()]


@pytest.mark.parametrize("parser", ALL, ids=lambda parser: parser.prog)
def test_help_ends_with_examples_that_are_no_errors(
    parser: argparse.ArgumentParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = examples(parser)
    assert any(parser.prog in command for command in commands[-5:])
    for command in commands:
        words = shlex.split(command)
        if words[0] == "rocm-perf":
            build_parser().parse_args(split_application(words[1:])[0])


@pytest.mark.parametrize("columns", [60, 80])
def test_help_fits(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for parser in ALL:
        epilog = (parser.epilog or "").splitlines()
        copied = {line for line in epilog if line.startswith(" ")}  # commands, tables stay whole
        long = {line for line in parser.format_help().splitlines() if len(line) > columns}
        assert long <= copied, parser.prog


def test_verbs_are_listed_in_their_groups() -> None:
    """Each verb once, under the group that it belongs to."""
    listed: dict[str, list[str]] = {}
    for line in build_parser().format_help().partition("verbs:\n")[2].splitlines():
        if not line:
            break
        if re.fullmatch(r"  \w+:", line):
            listed[line.strip(" :")] = []
        elif verb := re.match(r"    ([a-z-]+)", line):
            listed[[*listed][-1]].append(verb[1])
    assert listed == {group: list(verbs) for group, verbs in GROUPS.items()}
    modules = {path.stem.replace("_", "-") for path in CLI.glob("*.py")}
    assert set(VERBS) <= modules


def test_no_verb_shows_three_first_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    for step in ("rocm-perf doctor", "rocm-perf explain -- ./app", "rocm-perf report -- ./app"):
        assert step in shown
    assert max(map(len, shown.splitlines())) <= 60


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("prfile -- ./app", "profile"),
        ("tune", "autotune"),
        ("replay rn capture", "run"),
        ("profile --rooofline -- ./app", "--roofline"),
        ("profile --warm=2 --run_s 3 -- ./app", "--runs"),
        ("replay run capture --iteratons 3", "--iterations"),
        ("optimize --allow reasociate k.hip -- ./app", "reassociate"),
    ],
)
def test_what_was_meant_is_named(
    words: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    said = capsys.readouterr()
    assert f"did you mean {meant}?" in said.err
    assert not said.out


def test_nothing_is_guessed_from_far_away(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zzz"]) == 2
    said = capsys.readouterr().err
    assert "did you mean" not in said
    assert "choose from profile, roofs" in said
    assert main(["profile", "./app", "-n", "5"]) == 2
    said = capsys.readouterr().err
    assert "did you mean" not in said
    assert "options of the application go after --" in said


def test_help_is_there_at_once() -> None:
    """The least of five: another program on the same core must not fail it."""
    least = min(_start_s() for _ in range(5))
    assert least < MOST_START_S


def _start_s() -> float:
    program = [sys.executable, "-m", "rocm_perf_lab.cli.main", "--help"]
    before = os.times()
    subprocess.run(program, capture_output=True, check=True)
    after = os.times()
    return (
        after.children_user - before.children_user + after.children_system - before.children_system
    )
