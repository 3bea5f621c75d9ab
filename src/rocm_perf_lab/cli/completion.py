"""``rocm-perf completion``: print the script by which a shell completes verbs, options, paths."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_DONE, ToolMissing

EXAMPLES = """\
To install it permanently:
  echo 'eval "$(rocm-perf completion bash)"' >> ~/.bashrc
  rocm-perf completion zsh > ~/.zfunc/_rocm-perf
  rocm-perf completion fish > ~/.config/fish/completions/rocm-perf.fish

example:
  eval "$(rocm-perf completion bash)"
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "completion",
        help="let the shell complete verbs, options and paths",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise ToolMissing(
            "completion needs shtab", 'pip install "rocm-perf-lab[terminal]"'
        ) from None
    from rocm_perf_lab.cli.main import build_parser

    parser = build_parser()
    for action in _actions(parser):
        if action.type is Path:
            wanted = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE
            action.complete = wanted  # type: ignore[attr-defined] # where shtab looks for it
    options.say_to_program(shtab.complete(parser, arguments.shell))
    return EXIT_DONE


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
