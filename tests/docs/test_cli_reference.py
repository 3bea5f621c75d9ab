"""docs/CLI.md is what the program's parser says, on every Python."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def writer() -> ModuleType:
    path = ROOT / "scripts" / "write-cli-reference.py"
    spec = importlib.util.spec_from_file_location("write_cli_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_current() -> None:
    module = writer()
    current = module.PAGE.read_text("utf-8") == module.page()
    assert current, "run scripts/write-cli-reference.py: docs/CLI.md is old"


def every(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found += [one for below in action.choices.values() for one in every(below)]
    return found


def test_every_option_of_every_verb_stands_in_its_section() -> None:
    module = writer()
    sections = {part.split("\n")[0]: part for part in module.page().split("## ")[1:]}
    for parser in every(module.build_parser())[1:]:
        text = sections[parser.prog]
        for action in parser._actions:
            if action.help != argparse.SUPPRESS and action.dest != "help":
                for option in action.option_strings:
                    assert f"`{option}" in text, f"{parser.prog} {option}"


def test_a_choice_a_pipe_and_several_values_are_written_so_that_tables_hold() -> None:
    module = writer()
    parser = argparse.ArgumentParser()
    one = parser.add_argument("--kind", choices=["a", "b"], help="a|b <c>, see --other")
    two = parser.add_argument("files", nargs="+", metavar="FILE")
    three = parser.add_argument("-v", "--verbose", action="store_true")
    assert module._form(one) == "`--kind {a,b}`"
    assert module._help(parser, one) == "a\\|b &lt;c>, see `--other`"
    assert module._form(two) == "`FILE [FILE ...]`"
    assert module._form(three) == "`-v`, `--verbose`"
