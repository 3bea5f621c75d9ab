"""The command line of rocprofv3 (ROCm 7), as argparse sees it.

An option that was not given is None, so that it can be told from one that a job file sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from rocm_perf_lab.vrocm.recording.domains import TRACE_OPTIONS
from rocm_perf_lab.vrocm.recording.periods import NANOSECONDS

FORMATS = ("csv", "json", "pftrace", "otf2", "rocpd")
LOG_LEVELS = ("fatal", "error", "warning", "info", "trace", "env", "config")
SUMMARY_UNITS = ("sec", "msec", "usec", "nsec")

_TRUE = ("y", "yes", "t", "true", "on", "1")
_FALSE = ("n", "no", "f", "false", "off", "0")
_EXAMPLES = """\
The application follows after "--":

    rocprofv3 --kernel-trace -- ./app 100
    rocprofv3 -r --output-format rocpd csv -d out -- ./app 100

This is the rocprofv3 of the virtual ROCm. Times are those of a virtual device.
"""
_SHORT_TRACE_OPTIONS = {"runtime-trace": "-r", "sys-trace": "-s"}
_TRACE_HELP = {
    "kernel-trace": "kernel dispatches",
    "hip-trace": "all HIP calls; neither kernels nor copies",
    "hip-runtime-trace": "HIP calls of the program",
    "hip-compiler-trace": "HIP calls that the compiler inserts",
    "hsa-trace": "all HSA calls",
    "memory-copy-trace": "memory copies",
    "memory-allocation-trace": "allocations and releases of memory",
    "scratch-memory-trace": "scratch memory",
    "marker-trace": "ROCTx ranges and marks",
    "runtime-trace": "HIP runtime calls, markers, kernels, copies, allocations and scratch",
    "sys-trace": "as --runtime-trace, with all HIP and HSA calls",
}
# Options that change nothing here. Accepted, because scripts that work elsewhere use them.
_WITHOUT_EFFECT_BOOLEAN = ("process-sync", "disable-signal-handlers", "selected-regions-ref-count")
_WITHOUT_EFFECT_VALUE = (
    "minimum-output-data",
    "perfetto-backend",
    "perfetto-buffer-size",
    "perfetto-buffer-fill-policy",
    "perfetto-shmem-size-hint",
    "sdk-soversion",
    "sdk-version",
)
# What the virtual device does not have. -> how it is called in the message
NOT_POSSIBLE = {
    "spm": "streaming counters (SPM)",
    "pc_sampling_beta_enabled": "PC sampling",
}
_ATT_HELP = {
    "target-cu": "the CU of each shader engine whose instructions are traced (1)",
    "simd-select": "mask of its SIMDs (0xF)",
    "shader-engine-mask": "mask of shader engines (0x1); the virtual device traces 0xF of them",
    "buffer-size": "bytes of the trace (0x10000000)",
    "gpu-index": "these GPUs only, for example 0,1",
    "consecutive-kernels": argparse.SUPPRESS,  # from here on: accepted, without effect
    "activity": argparse.SUPPRESS,
    "perfcounter-ctrl": argparse.SUPPRESS,
}
_ATT_LISTS = ("perfcounters", "library-path")


def split_command(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """(options, application): the first ``--`` divides them."""
    words = list(argv)
    if "--" not in words:
        return words, []
    position = words.index("--")
    return words[:position], words[position + 1 :]


def make_parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rocprofv3",
        usage="%(prog)s [options] -- <application> [application options]",
        epilog=_EXAMPLES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-v", "--version", action="store_true", help="print versions and exit")
    _add_output(parser.add_argument_group("Output"), environment)
    _add_tracing(parser.add_argument_group("Tracing"))
    _add_results(parser.add_argument_group("Summaries and names"))
    _add_filters(parser.add_argument_group("Filters"))
    _add_counters(parser.add_argument_group("Counters and thread trace"))
    _add_other(parser.add_argument_group("Other"))
    return parser


def truth(value: object) -> bool:
    """The value of an option that is on or off; ValueError when it is neither."""
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word not in (*_TRUE, *_FALSE):
        raise ValueError(f"{value!r} is neither true nor false")
    return word in _TRUE


class _Truth(argparse.Action):
    """``--option``, ``--option=no``, ``--option False``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        _option: Optional[str] = None,
    ) -> None:
        try:
            setattr(namespace, self.dest, truth(values))
        except ValueError as error:
            parser.error(f"argument {'/'.join(self.option_strings)}: {error}")


def _boolean(group: argparse._ArgumentGroup, *names: str, help: Optional[str] = None) -> None:
    group.add_argument(*names, action=_Truth, nargs="?", const=True, metavar="BOOL", help=help)


def _add_output(group: argparse._ArgumentGroup, environment: Mapping[str, str]) -> None:
    group.add_argument("-i", "--input", metavar="FILE", help="jobs: JSON, YAML or text (counters)")
    group.add_argument(
        "-o",
        "--output-file",
        metavar="PREFIX",
        default=environment.get("ROCPROF_OUTPUT_FILE_NAME"),
        help="beginning of the file names (%%hostname%%/%%pid%%)",
    )
    group.add_argument(
        "-d",
        "--output-directory",
        metavar="DIR",
        default=environment.get("ROCPROF_OUTPUT_PATH"),
        help="where to write (the current directory)",
    )
    group.add_argument(
        "-f",
        "--output-format",
        nargs="+",
        type=str.lower,
        choices=FORMATS,
        help="rocpd (default), csv or json; the virtual ROCm has no pftrace and otf2",
    )
    _boolean(group, "--output-config", help="write the configuration to PREFIX_config.json")
    group.add_argument("--log-level", type=str.lower, choices=LOG_LEVELS)


def _add_tracing(group: argparse._ArgumentGroup) -> None:
    for name in TRACE_OPTIONS:
        short = [_SHORT_TRACE_OPTIONS[name]] if name in _SHORT_TRACE_OPTIONS else []
        _boolean(group, *short, f"--{name}", help=_TRACE_HELP.get(name))


def _add_results(group: argparse._ArgumentGroup) -> None:
    _boolean(group, "--stats", help="statistics, with csv or json output")
    _boolean(group, "-S", "--summary", help="one summary of everything")
    _boolean(group, "-D", "--summary-per-domain", help="a summary of each domain")
    group.add_argument("--summary-groups", nargs="+", metavar="REGEX", help="one for each REGEX")
    group.add_argument("--summary-output-file", metavar="FILE", help="stdout, stderr or a file")
    group.add_argument("-u", "--summary-units", choices=SUMMARY_UNITS)
    _boolean(group, "-M", "--mangled-kernels", help="names of kernels as the linker knows them")
    _boolean(group, "-T", "--truncate-kernels", help="names of kernels without parameters")
    _boolean(group, "--group-by-queue", help="do not tell the streams of HIP apart")


def _add_filters(group: argparse._ArgumentGroup) -> None:
    only = "for counters and thread trace; a kernel trace holds all kernels"
    group.add_argument("--kernel-include-regex", metavar="REGEX", help=only)
    group.add_argument("--kernel-exclude-regex", metavar="REGEX", help=only)
    group.add_argument("--kernel-iteration-range", nargs="+", metavar="RANGE", help=only)
    group.add_argument(
        "-P",
        "--collection-period",
        nargs="+",
        metavar="DELAY:TIME:REPEAT",
        help="when to collect, in virtual time from the start of a process",
    )
    group.add_argument("--collection-period-unit", choices=tuple(NANOSECONDS))
    _boolean(
        group, "--selected-regions", help="between roctxProfilerResume and roctxProfilerPause only"
    )


def _add_counters(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--pmc",
        nargs="*",
        metavar="COUNTER",
        help="count these in one pass; see rocprofv3-avail list --pmc",
    )
    group.add_argument(
        "-E", "--extra-counters", metavar="FILE", help="YAML with definitions of derived counters"
    )
    group.add_argument("--spm", nargs="*")
    _boolean(group, "--pc-sampling-beta-enabled")
    for name in ("unit", "method", "interval"):
        group.add_argument(f"--pc-sampling-{name}")
    _boolean(
        group,
        "--advanced-thread-trace",
        "--att",
        help="trace the first dispatch of each kernel, instruction by instruction",
    )
    for name, help in _ATT_HELP.items():
        group.add_argument(f"--att-{name}", metavar="NUMBER", help=help)
    for name in _ATT_LISTS:
        group.add_argument(f"--att-{name}", nargs="+", help=argparse.SUPPRESS)
    _boolean(group, "--att-serialize-all", help=argparse.SUPPRESS)


def _add_other(group: argparse._ArgumentGroup) -> None:
    _boolean(group, "-L", "--list-avail", help="list the devices and their counters")
    group.add_argument("--preload", nargs="*", metavar="LIBRARY", help="for LD_PRELOAD")
    group.add_argument("--rocm-root", metavar="PATH", help="the ROCm prefix")
    group.add_argument("-A", "--agent-index", choices=("absolute", "relative", "type-relative"))
    _boolean(group, "--kernel-rename", help=argparse.SUPPRESS)
    group.add_argument("-p", "--pid", "--attach", type=int, help=argparse.SUPPRESS)
    for name in _WITHOUT_EFFECT_BOOLEAN:
        _boolean(group, f"--{name}", help=argparse.SUPPRESS)
    for name in _WITHOUT_EFFECT_VALUE:
        group.add_argument(f"--{name}", help=argparse.SUPPRESS)
