"""``rocm-perf history``: profiles over time, what changed when, and a gate for CI."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Callable

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, UsageError

EXAMPLES = """\
exit codes:
  0 done, no regression, or nothing to compare with   1 gate: the newest profile is a regression

examples:
  rocm-perf profile --runs 7 --out results -- ./app
  rocm-perf history add results/profile.json
  rocm-perf history show
  rocm-perf history trend --kernel gemm
  rocm-perf history gate --threshold 5
"""
_USUAL = Path("rocm-perf-history.db")


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "history",
        help="profiles over time: trends, change points, a gate for CI",
        description=__doc__,
        epilog=EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_add(actions)
    _shared(_action(actions, "show", "list the stored profiles"), run_show)
    trend = _action(actions, "trend", "each kernel over time, with its change points")
    trend.add_argument(
        "--kernel", type=options.expression, metavar="REGEX", help="only matching kernels"
    )
    _threshold(trend)
    _shared(trend, run_trend)
    gate = _action(actions, "gate", "is the newest profile slower than those before it?")
    _threshold(gate)
    _shared(gate, run_gate)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    """Ends its help with its line of the verb's examples."""
    (line,) = (line for line in EXAMPLES.splitlines() if f"rocm-perf history {name}" in line)
    return actions.add_parser(name, help=text, epilog=f"example:\n{line}")


def _add_add(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _action(actions, "add", "store profiles")
    parser.add_argument(
        "profiles", nargs="+", type=Path, metavar="PROFILE", help="documents of profile --json"
    )
    parser.add_argument(
        "--commit", metavar="HASH", help="commit of the profiled code (that of this checkout)"
    )
    parser.add_argument("--flags", metavar="TEXT", help="how it was built, as a note")
    parser.add_argument(
        "--machine",
        metavar="NAME",
        help="where it was measured; times of different machines are never compared (this host)",
    )
    _shared(parser, run_add)


def _shared(parser: argparse.ArgumentParser, action: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument(
        "--db", type=Path, default=_USUAL, metavar="FILE", help=f"the history ({_USUAL})"
    )
    options.add_json_argument(parser)
    parser.set_defaults(run=action)


def _threshold(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threshold",
        type=float,
        default=2.0,
        metavar="PERCENT",
        help="ignore smaller changes, in percent (2)",
    )


def run_add(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.history.commit import checked_out
    from rocm_perf_lab.history.document import entries_document
    from rocm_perf_lab.history.entry import Origin
    from rocm_perf_lab.history.store import opened
    from rocm_perf_lab.prove.compare.profile_file import read_profile_file
    from rocm_perf_lab.reporters.decisions.history import render_entries

    profiles = [read_profile_file(path) for path in arguments.profiles]
    commit, dirty = (arguments.commit, False) if arguments.commit else checked_out(Path.cwd())
    origin = Origin(commit, dirty, arguments.flags, arguments.machine)
    with opened(arguments.db, writable=True) as store:
        kept = {store.add(profile, origin) for profile in profiles}
        entries = [entry for entry in store.entries() if entry.number in kept]
    options.show(arguments, entries_document(entries), render_entries)
    return EXIT_DONE


def run_show(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.history.document import entries_document
    from rocm_perf_lab.history.store import opened
    from rocm_perf_lab.reporters.decisions.history import render_entries

    with opened(arguments.db) as store:
        options.show(arguments, entries_document(store.entries()), render_entries)
    return EXIT_DONE


def run_trend(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.history.document import trend_document
    from rocm_perf_lab.history.store import opened
    from rocm_perf_lab.history.trend import lines_of
    from rocm_perf_lab.reporters.decisions.history import render_trend

    with opened(arguments.db) as store:
        lines = lines_of(store.entries(), _share(arguments), arguments.kernel)
    options.show(arguments, trend_document(lines), render_trend)
    return EXIT_DONE


def run_gate(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.history.document import gate_document
    from rocm_perf_lab.history.gate import gate
    from rocm_perf_lab.history.store import opened
    from rocm_perf_lab.prove.compare.judgement import REGRESSION
    from rocm_perf_lab.reporters.decisions.history import render_gate

    with opened(arguments.db) as store:
        found = gate(store.entries(), _share(arguments))
    options.show(arguments, gate_document(found), render_gate)
    is_slower = found is not None and found.judgement.word == REGRESSION
    return EXIT_ANSWER_IS_NO if is_slower else EXIT_DONE


def _share(arguments: argparse.Namespace) -> float:
    if not 0 <= arguments.threshold < 100:
        raise UsageError("--threshold is a percentage from 0 to below 100")
    return float(arguments.threshold) / 100
