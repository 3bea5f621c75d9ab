"""The critical-path options of ``rocm-perf profile``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rocm_perf_lab.errors import UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.profile_schema import ProfileDocument
    from rocm_perf_lab.analysis.what_if import Scenario
    from rocm_perf_lab.trace.model import Trace

# What rocprofv3 has to record besides kernels: calls order work, copies are work.
TRACED = frozenset(("hip", "memory-copy"))


def add_critical_path_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("critical path")
    group.add_argument(
        "--critical-path",
        "--focus-critical",
        dest="critical_path",
        action="store_true",
        help="the chain of kernels, copies and waits that decides when the application ends; "
        "records API calls and copies too",
    )
    group.add_argument(
        "--what-if",
        action="append",
        default=[],
        type=_scenario,
        metavar="REGEX=FACTOR",
        help="the end-to-end time if matching kernels were FACTOR times faster; may be repeated, "
        "implies --critical-path",
    )


def wants_critical_path(arguments: argparse.Namespace) -> bool:
    return bool(arguments.critical_path or arguments.what_if)


def recorded_critical_path(
    arguments: argparse.Namespace, profile: ProfileDocument, traces: Sequence[Trace]
) -> ProfileDocument:
    """Adds the path; the graph behind it is too large for the profile and becomes dag.json."""
    from rocm_perf_lab.analysis.critical_path_document import path_of_runs, with_critical_path
    from rocm_perf_lab.analysis.dag_document import dag_document
    from rocm_perf_lab.reporters.json_document import to_json, write_document

    found = path_of_runs(traces)
    if found is not None and arguments.out:
        document = dag_document(found, profile.tool_version)
        write_document(arguments.out / "dag.json", to_json(document))
    return with_critical_path(profile, found, arguments.what_if)


def _scenario(text: str) -> Scenario:
    from rocm_perf_lab.analysis.what_if import Scenario

    pattern, equals, number = text.rpartition("=")
    example = "write it as --what-if 'gemm=2'"
    if not equals or not pattern:
        raise UsageError(f"--what-if '{text}' names no kernel and factor", example)
    try:
        factor = float(number)
    except ValueError:
        raise UsageError(f"--what-if '{text}': '{number}' is not a number", example) from None
    if not 0 < factor < float("inf"):
        raise UsageError(f"--what-if '{text}': no kernel gets {number} times faster", example)
    try:
        return Scenario(text, re.compile(pattern), factor)
    except re.error as error:
        raise UsageError(
            f"--what-if '{text}': '{pattern}' is not a regular expression: {error}", example
        ) from error
