"""``rocm-perf mcp``: the verbs as tools for coding agents, over the Model Context Protocol."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rocm_perf_lab.errors import ToolMissing, UsageError

EXAMPLES = """\
It talks over standard input and output until its client closes them. Programs are run and files
are read and written only below the roots, and only those that the client names.

examples:
  rocm-perf mcp --root ~/project
  claude mcp add rocm-perf -- rocm-perf mcp --root ~/project
"""
_MOST_KB = 256


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "mcp",
        help="serve the verbs to a coding agent (Model Context Protocol)",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "--root",
        action="append",
        type=Path,
        default=[],
        metavar="DIR",
        help="a folder that the agent may use; repeatable (the current one)",
    )
    parser.add_argument(
        "--most-kb",
        type=int,
        default=_MOST_KB,
        metavar="N",
        help="size limit of an answer in kB; longer lists are cut, and the answer says so "
        f"({_MOST_KB})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.most_kb < 1:
        raise UsageError("--most-kb must be at least 1")
    if sys.version_info < (3, 10):
        raise ToolMissing("the Model Context Protocol needs Python 3.10 or newer", None)
    try:
        from rocm_perf_lab.agent.server import build_server
    except ModuleNotFoundError as error:
        raise ToolMissing(
            f"{error.name} is not installed", "pip install 'rocm-perf-lab[mcp]'"
        ) from error
    from rocm_perf_lab.agent.roots import Roots

    build_server(Roots.of(arguments.root or [Path.cwd()]), arguments.most_kb * 1024).run("stdio")
    return 0
