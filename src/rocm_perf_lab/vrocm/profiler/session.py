"""From options and job files to what each run of the application shall record."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.vrocm.att.options import ThreadTraceRequest, thread_trace_request
from rocm_perf_lab.vrocm.counters.request import counter_request
from rocm_perf_lab.vrocm.profiler import arguments
from rocm_perf_lab.vrocm.profiler.output_names import DEFAULT_PREFIX
from rocm_perf_lab.vrocm.recording.domains import HIP_RUNTIME, KERNEL, TRACE_OPTIONS
from rocm_perf_lab.vrocm.recording.kernel_names import Naming
from rocm_perf_lab.vrocm.recording.periods import TimeFilter, parse_period
from rocm_perf_lab.vrocm.recording.trace import Selection

DEFAULT_FORMAT = "rocpd"
_NOT_WRITTEN = {"pftrace": "Perfetto", "otf2": "OTF2"}


@dataclass(frozen=True)
class Summaries:
    """Which tables to print at the end, and where."""

    everything: bool
    per_domain: bool
    groups: tuple[str, ...]
    unit: str
    output: Optional[str]

    @property
    def wanted(self) -> bool:
        return self.everything or self.per_domain or bool(self.groups)


@dataclass(frozen=True)
class Session:
    """One run of the application under the profiler."""

    selection: Selection
    directory: Path
    prefix: str
    formats: tuple[str, ...]
    stats: bool
    summaries: Summaries
    log_level: str
    preload: tuple[str, ...]
    config: Optional[Mapping[str, Any]]  # what to write with --output-config
    warnings: tuple[str, ...] = ()
    thread_trace: Optional[ThreadTraceRequest] = None

    @property
    def recorded_domains(self) -> frozenset[str]:
        """What the runtime has to record so that the selection can be made."""
        chosen = self.selection.domains
        if self.selection.counters is not None or self.thread_trace is not None:
            chosen = chosen | {KERNEL}
        return chosen | {HIP_RUNTIME} if chosen and self.selection.times.needs_calls else chosen

    def logs(self, level: str) -> bool:
        return arguments.LOG_LEVELS.index(level) <= arguments.LOG_LEVELS.index(self.log_level)


def make_session(options: Mapping[str, Any], folder: Optional[str] = None) -> Session:
    """Raises ``UsageError`` for what is contradictory or not possible on the virtual device."""
    _refuse_impossible(options)
    domains = frozenset(
        domain
        for name, selected in TRACE_OPTIONS.items()
        if options.get(name.replace("-", "_"))
        for domain in selected
    )
    traced = any(options.get(name.replace("-", "_")) for name in TRACE_OPTIONS)
    summaries = Summaries(
        bool(options.get("summary")),
        bool(options.get("summary_per_domain")),
        _patterns(options.get("summary_groups") or ()),
        options.get("summary_units") or "nsec",
        options.get("summary_output_file"),
    )
    counters = counter_request(options)
    records = traced or counters is not None
    thread_trace = thread_trace_request(options)
    if (options.get("stats") or summaries.wanted) and not records:
        raise UsageError("--stats and --summary need one of the tracing options", "--kernel-trace")
    directory = Path(options.get("output_directory") or ".")
    formats = tuple(dict.fromkeys(options.get("output_format") or (DEFAULT_FORMAT,)))
    return Session(
        selection=Selection(
            domains,
            _time_filter(options),
            _naming(options),
            bool(options.get("group_by_queue")),
            counters,
        ),
        directory=directory / folder if folder else directory,
        prefix=options.get("output_file") or DEFAULT_PREFIX,
        formats=formats,
        stats=bool(options.get("stats")),
        summaries=summaries,
        log_level=options.get("log_level") or "warning",
        preload=tuple(options.get("preload") or ()),
        config={k: v for k, v in options.items() if v is not None}
        if options.get("output_config")
        else None,
        warnings=(
            *_warnings(options, records or thread_trace is not None, formats),
            *(thread_trace.warnings if thread_trace else ()),
        ),
        thread_trace=thread_trace,
    )


def merged(command_line: Mapping[str, Any], job: Mapping[str, Any]) -> dict[str, Any]:
    """The options of one job; the command line may repeat a value but not contradict it."""
    options = dict(command_line)
    for name, value in job.items():
        given = options.get(name)
        if given is None:
            options[name] = value
        elif value is not None and given != value:
            raise UsageError(
                f"option '{name}' has conflicting values: {given} on the command line "
                f"and {value} in the job file",
                "give it in one place",
            )
    return options


def _refuse_impossible(options: Mapping[str, Any]) -> None:
    for name, what in arguments.NOT_POSSIBLE.items():
        if options.get(name):
            raise UsageError(
                f"the virtual device has no {what} yet",
                "trace or count instead: --kernel-trace, --pmc",
            )
    for name in options.get("output_format") or ():
        if name in _NOT_WRITTEN:
            raise UsageError(
                f"the virtual ROCm does not write {_NOT_WRITTEN[name]} ({name})",
                "use --output-format rocpd, csv or json",
            )
    if options.get("pid") is not None:
        raise UsageError(
            "the virtual ROCm cannot attach to a running process",
            "start the application with: rocprofv3 [options] -- <application>",
        )


def _warnings(options: Mapping[str, Any], records: bool, formats: Sequence[str]) -> list[str]:
    found = []
    if not records:
        found.append("no tracing option was given: the application runs without being recorded")
    if options.get("stats") and not {"csv", "json"} & set(formats):
        found.append("--stats has no effect without csv or json output")
    if options.get("kernel_rename"):
        found.append("--kernel-rename has no effect: kernels keep their names")
    if options.get("agent_index") not in (None, "relative"):
        found.append("--agent-index has no effect: agents have their relative index")
    return found


def _patterns(groups: Sequence[str]) -> tuple[str, ...]:
    for group in groups:
        try:
            re.compile(group)
        except re.error as error:
            raise UsageError(
                f"--summary-groups '{group}' is not a regular expression: {error}", None
            ) from error
    return tuple(groups)


def _time_filter(options: Mapping[str, Any]) -> TimeFilter:
    selected = bool(options.get("selected_regions"))
    unit = options.get("collection_period_unit") or "sec"
    periods = tuple(parse_period(str(p), unit) for p in options.get("collection_period") or ())
    if selected and periods:
        raise UsageError("--selected-regions and --collection-period exclude each other", None)
    return TimeFilter(periods, selected)


def _naming(options: Mapping[str, Any]) -> Naming:
    if options.get("mangled_kernels"):
        return Naming.MANGLED
    return Naming.TRUNCATED if options.get("truncate_kernels") else Naming.DEMANGLED
