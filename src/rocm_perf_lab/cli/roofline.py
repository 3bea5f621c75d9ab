"""The roofline options of ``rocm-perf profile``: where its counters and ceilings come from."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from rocm_perf_lab.errors import PerfLabError, UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.profile_schema import ProfileDocument
    from rocm_perf_lab.analysis.roofline_document import Ceilings
    from rocm_perf_lab.collect.options import CollectOptions
    from rocm_perf_lab.trace.model import Trace

    CountingRuns = Callable[[CollectOptions], Sequence[Trace]]


def add_roofline_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("roofline")
    group.add_argument(
        "--roofline",
        action="store_true",
        help="FLOPs, bytes and the nearest ceiling of every kernel; runs the application once more "
        "for each set of counters",
    )
    add_ceiling_arguments(group)


def add_ceiling_arguments(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--memory-bandwidth-gbps", type=float, metavar="G", help="ceiling of device memory in GB/s"
    )
    group.add_argument(
        "--clock-mhz", type=float, metavar="MHZ", help="clock for the ceilings, if not the highest"
    )


def with_recorded_counters(arguments: argparse.Namespace, traces: Sequence[Trace]) -> Trace:
    """All of them as one; folders of --keep-trace have their counter passes beside the runs."""
    from rocm_perf_lab.trace.load import load
    from rocm_perf_lab.trace.merge import merge
    from rocm_perf_lab.trace.parts import Parts

    folders = [f for path in arguments.recordings for f in sorted(path.glob("counters_*"))]
    counted = [load([folder], parts=Parts.COUNTERS) for folder in folders]
    return merge([*traces, *counted], "recordings")


def recorded_roofline(
    arguments: argparse.Namespace, profile: ProfileDocument, trace: Trace
) -> ProfileDocument:
    """``trace`` holds runs and counters; see ``with_recorded_counters``."""
    from rocm_perf_lab.analysis.roofline_document import with_roofline

    return with_roofline(profile, trace, _ceilings(arguments))


def counted_roofline(
    arguments: argparse.Namespace,
    profile: ProfileDocument,
    traces: Sequence[Trace],
    options: CollectOptions,
    count: CountingRuns,
) -> ProfileDocument:
    """Runs the application for the counters. If that fails, the profile stays and says why.

    Those that explain a kernel are collected too: on gfx942 and gfx90a they need no further run.
    """
    from rocm_perf_lab.analysis.kernel_metrics import metric_counters
    from rocm_perf_lab.analysis.roofline import roofline_counters
    from rocm_perf_lab.analysis.roofline_document import (
        target_of,
        with_roofline,
        without_roofline,
    )
    from rocm_perf_lab.collect.counter_plan import plan_passes
    from rocm_perf_lab.trace.merge import merge

    ceilings = _ceilings(arguments)
    target = target_of(traces[0])
    if target is None:
        return without_roofline(profile, "the recording does not say which GPU ran", None)
    try:
        passes = plan_passes([*roofline_counters(target), *metric_counters(target)], target)
        counted = count(replace(options, pmc=passes))
    except PerfLabError as error:
        return without_roofline(profile, error.cause, error.next_step)
    return with_roofline(profile, merge([*traces, *counted], "runs"), ceilings)


def check_ceilings(arguments: argparse.Namespace) -> None:
    """Before anything runs: a ceiling of 0 would end in a division by it."""
    for option in ("memory_bandwidth_gbps", "clock_mhz"):
        value = getattr(arguments, option)
        if value is not None and not 0 < value < float("inf"):
            name = "--" + option.replace("_", "-")
            raise UsageError(f"{name} {value:g} is no ceiling", "give a number above 0")


def _ceilings(arguments: argparse.Namespace) -> Ceilings:
    from rocm_perf_lab.analysis.roofline_document import Ceilings
    from rocm_perf_lab.collect.roof_store import stored_roofs
    from rocm_perf_lab.trace.measured_roofs import ROOF_FILE, read_measured_roofs

    paths: list[Path] = arguments.recordings or []
    files = [(path if path.is_dir() else path.parent) / ROOF_FILE for path in paths]
    measured = [roofs for file in files if file.is_file() for roofs in read_measured_roofs(file)]
    measured += stored_roofs()
    return Ceilings(measured, arguments.memory_bandwidth_gbps, arguments.clock_mhz)
