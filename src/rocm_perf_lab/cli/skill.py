"""``rocm-perf skill install``: install the instructions for coding agents."""

from __future__ import annotations

import argparse
from pathlib import Path

from rocm_perf_lab.cli import options

EXAMPLES = """\
examples:
  rocm-perf skill install                  # into .claude/skills of the current project
  rocm-perf skill install ~/.claude/skills
"""
_USUAL = Path(".claude") / "skills"


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "skill",
        help="install the skill (instructions for coding agents)",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument("action", choices=("install",), help="copy the skill")
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=_USUAL,
        metavar="DIR",
        help=f"the agent's folder of skills ({_USUAL}); it gets rocm-perf/SKILL.md",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.agent.install import install_skill

    place = install_skill(arguments.folder)
    options.say_done(f"{place / 'SKILL.md'} and its references")
    return 0
