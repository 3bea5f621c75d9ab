"""docs/CLI.md is what the program's parser says, on every Python."""

from __future__ import annotations

import argparse
from pathlib import Path

from fakes.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]


def test_the_reference_is_current() -> None:
    module = load_script("write-cli-reference")
    current = module.PAGE.read_text("utf-8") == module.page()
    assert current, "run scripts/write-cli-reference.py: docs/CLI.md is old"


def every(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found += [one for below in action.choices.values() for one in every(below)]
    return found


def test_every_option_of_every_verb_stands_in_its_section() -> None:
    module = load_script("write-cli-reference")
    sections = {part.split("\n")[0]: part for part in module.page().split("## ")[1:]}
    for parser in every(module.build_parser())[1:]:
        text = sections[parser.prog]
        for action in parser._actions:
            if action.help != argparse.SUPPRESS and action.dest != "help":
                for option in action.option_strings:
                    assert f"`{option}" in text, f"{parser.prog} {option}"


def test_a_choice_a_pipe_and_several_values_are_written_so_that_tables_hold() -> None:
    module = load_script("write-cli-reference")
    parser = argparse.ArgumentParser()
    one = parser.add_argument("--kind", choices=["a", "b"], help="a|b <c>, see --other")
    two = parser.add_argument("files", nargs="+", metavar="FILE")
    three = parser.add_argument("-v", "--verbose", action="store_true")
    assert module._form(one) == "`--kind {a,b}`"
    assert module._help(parser, one) == "a\\|b &lt;c>, see `--other`"
    assert module._form(two) == "`FILE [FILE ...]`"
    assert module._form(three) == "`-v`, `--verbose`"
