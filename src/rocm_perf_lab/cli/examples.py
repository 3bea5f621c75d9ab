"""``rocm-perf examples``: copy the example HIP programs of the documentation."""

from __future__ import annotations

import argparse
from pathlib import Path

from rocm_perf_lab.cli import options

EXAMPLES = """\
examples:
  rocm-perf examples my-examples           # then: my-examples/README.md says what each shows
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "examples",
        help="copy the example programs into a folder",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new or an empty folder")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.vrocm.sources import copy_examples

    copied = copy_examples(arguments.folder)
    options.say_done(f"{copied} files in {arguments.folder}; start with README.md")
    return 0
