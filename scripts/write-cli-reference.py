"""Writes docs/CLI.md from the program's own parser. A test checks that the page is current.

The parser is read, not its help text: argparse lays that out differently from Python to Python.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from rocm_perf_lab import errors
from rocm_perf_lab.cli.main import GROUPS, build_parser

PAGE = Path(__file__).resolve().parent.parent / "docs" / "CLI.md"
_TITLES = {"positional arguments": "arguments", "optional arguments": "options"}
_START = """\
# Command line

Written by `scripts/write-cli-reference.py` from the program itself; a test compares. `rocm-perf
VERB --help` says the same. Words of the field are in the [glossary](GLOSSARY.md).

    rocm-perf VERB [options] -- APP ARGS ...

Everything after `--` is the command of the application. Standard output holds the result and
nothing else, its last line for people starts with `Result:`; with `--json` it is one document
([schemas](schema/README.md)).

"""


def page() -> str:
    parser = build_parser()
    verbs = dict(_verbs(parser))
    table = "".join(
        f"| {group} | [`{name}`](#{_anchor(name)}) | {verbs[name][0]} |\n"
        for group, names in GROUPS.items()
        for name in names
    )
    codes = "".join(f"| {code} | {text} |\n" for code, text in errors.EXIT_CODES.items())
    sections = "".join(_section(name, verb, "##") for name, (_, verb) in verbs.items())
    return (
        f"{_START}| to | verb | what it does |\n|---|---|---|\n{table}\n"
        f"| exit code | meaning |\n|---|---|\n{codes}\n{sections}".rstrip()
        + "\n"
    )


def _verbs(
    parser: argparse.ArgumentParser,
) -> Iterator[tuple[str, tuple[str, argparse.ArgumentParser]]]:
    """Name -> (help, parser) of each verb, in the order of help."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, verb in action.choices.items():
                if name in helps:  # others are second names
                    yield name, (_cell(helps[name]), verb)


def _anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", f"rocm-perf {name}").replace(" ", "-")


def _section(name: str, parser: argparse.ArgumentParser, level: str) -> str:
    about = re.sub(r"^``[^`]+``: ", "", parser.description or "").replace("``", "`").strip()
    text = f"{level} rocm-perf {name}\n\n"
    text += f"{about[:1].upper()}{about[1:]}\n\n" if about else ""
    for group in parser._action_groups:
        text += _group(parser, group)
    if parser.epilog:
        text += f"```text\n{parser.epilog.strip()}\n```\n\n"
    for action, (_, below) in _verbs(parser):
        text += _section(f"{name} {action}", below, "###")
    return text


def _group(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> str:
    shown = [
        action
        for action in group._group_actions
        if action.help != argparse.SUPPRESS
        and not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))
    ]
    if not shown:
        return ""
    rows = "".join(f"| {_form(action)} | {_help(parser, action)} |\n" for action in shown)
    title = _TITLES.get(group.title or "", group.title or "options")
    about = f"\n{_cell(group.description)}\n" if group.description else ""
    return f"{about}| {title} | |\n|---|---|\n{rows}\n"


def _form(action: argparse.Action) -> str:
    """The option with its value, or the name of the argument."""
    value = _value(action)
    if not action.option_strings:
        return f"`{value}`"
    return ", ".join(
        f"`{name} {value}`" if value else f"`{name}`" for name in action.option_strings
    )


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else None
    plain = action.dest.upper() if action.option_strings else action.dest
    names = action.metavar or choices or plain
    name = names if isinstance(names, str) else " ".join(names)
    return {"*": f"[{name} ...]", "+": f"{name} [{name} ...]", "?": f"[{name}]"}.get(
        str(action.nargs), name
    )


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return _cell(parser._get_formatter()._expand_help(action) if action.help else "")


def _cell(text: str) -> str:
    plain = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("``", "`")
    return re.sub(r"(?<![\w`])(--[a-z][a-z-]+)", r"`\1`", plain)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
