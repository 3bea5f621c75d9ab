"""Options that several verbs share, and what they mean as a request."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.reporters.progress import PROGRESS

if TYPE_CHECKING:
    from rocm_perf_lab.arch.named import NamedGpu
    from rocm_perf_lab.measure.live import Application
    from rocm_perf_lab.measure.request import KnownCeilings, Source
    from rocm_perf_lab.strict_json import Strict
    from rocm_perf_lab.trace.part import Part
    from rocm_perf_lab.trace.thread_trace.files import TraceFiles

Document = TypeVar("Document", bound="Strict")


def seconds(text: str) -> float:
    """The type of a time limit: a number above 0, and an end."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a time limit: give seconds above 0")
    return value


def expression(text: str) -> str:
    """The type of a regular expression: refused before anything runs."""
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a regular expression: {error}") from None
    return text


class Written(argparse.Action):
    """A place to write to: tried while the command line is read, before anything runs."""

    def __init__(
        self,
        option_strings: list[str],
        dest: str,
        files: tuple[str, ...] = (),
        is_file: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(option_strings, dest, type=Path, **settings)
        self._files, self._is_file = files, is_file

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        value: Any,
        option: Optional[str] = None,
    ) -> None:
        from rocm_perf_lab.trace.files.places import check_file, check_folder

        if self._is_file:
            check_file(value, option or "")
        else:
            check_folder(value, self._files, option or "")
        setattr(namespace, self.dest, value)


def add_application_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "command",
        nargs="*",
        metavar="-- APP ARGS",
        help='the application and its arguments; also as one word: "./app 100"',
    )


def add_recordings_argument(parser: argparse.ArgumentParser, text: str) -> None:
    """Recordings, and whose they are."""
    parser.add_argument(
        "--from", dest="recordings", nargs="+", type=Path, metavar="PATH", help=text
    )
    parser.add_argument(
        "--gpu",
        type=_gpu,
        metavar="NAME",
        help="the GPU of the recordings (mi300x, gfx942, ...); overrides what they say",
    )


def _gpu(text: str) -> NamedGpu:
    from rocm_perf_lab.arch.named import gpu_named

    return gpu_named(text)


def add_runs_arguments(parser: argparse.ArgumentParser) -> None:
    """How an application is run, where all of it is decided by what is asked."""
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="number of timed runs (3)")
    add_timeout_argument(parser)
    add_rocm_argument(parser)
    parser.add_argument(
        "--keep-trace", action=Written, metavar="DIR", help="keep the recordings, for --from"
    )


def add_part_arguments(parser: argparse.ArgumentParser, kernel: str) -> None:
    """What of each run is analysed."""
    group = parser.add_argument_group("which part is analysed")
    group.add_argument("--kernel", type=expression, metavar="REGEX", help=kernel)
    group.add_argument(
        "--region",
        metavar="NAME",
        help="only what was launched in ROCTx ranges (in PyTorch traces annotations) of this name; "
        "* stands for anything",
    )
    group.add_argument(
        "--after",
        type=_count,
        default=0,
        metavar="N",
        help="leave out the first N launches and what comes before them, or the first N ranges "
        "with --region (0)",
    )
    group.add_argument(
        "--dispatch",
        type=_range,
        metavar="N[-M]",
        help="only dispatch N, or N to M, of the matching kernels, from 0",
    )


def part_asked(arguments: argparse.Namespace) -> Part:
    from rocm_perf_lab.trace.part import Part

    return Part(arguments.region, arguments.after, arguments.dispatch, arguments.kernel)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of launches")
    return int(text)


def _range(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is neither a number nor a range such as 3-7")
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise argparse.ArgumentTypeError(f"'{text}' ends before it begins")
    return first, last


def add_timeout_argument(parser: argparse._ActionsContainer, *, per_run: bool = True) -> None:
    text = "stop the application after S seconds" + (" per run" if per_run else "")
    parser.add_argument("--timeout", type=seconds, metavar="S", help=text)


def add_rocm_argument(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--rocm", type=Path, metavar="PREFIX", help="the ROCm installation to use")


def add_json_argument(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def add_debug_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--debug", action="store_true", help="the profiler's command lines and log on stderr"
    )


def add_trace_arguments(parser: argparse.ArgumentParser) -> None:
    """Thread traces, for verbs that explain: made unasked where nothing else tells the cause."""
    parser.add_argument(
        "--deep-analysis",
        action="store_true",
        default=None,
        help="always make a thread trace of the limiting kernel: what its waves wait for (one or "
        "two more runs); by default only if a kernel limits the application and the profiler has "
        "a decoder; traces stored with recordings are always read",
    )
    parser.add_argument(
        "--no-deep-analysis",
        dest="deep_analysis",
        action="store_false",
        help="never make a thread trace",
    )


def add_walls_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--walls",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="replay the limiting kernel with mechanisms of the virtual device made free, one on "
        "top of the other: what each costs (on the virtual device where a kernel limits, for 20 s "
        "at most; --walls: for as long as it takes)",
    )


def check_walls(arguments: argparse.Namespace, verb: str) -> None:
    if arguments.walls and arguments.recordings:
        raise UsageError(
            "--walls runs the application again, and --from has only recordings of it",
            f"rocm-perf {verb} --walls -- ./app args",
        )


def add_ceiling_arguments(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--memory-bandwidth-gbps", type=float, metavar="G", help="ceiling of device memory in GB/s"
    )
    group.add_argument(
        "--clock-mhz", type=float, metavar="MHZ", help="clock for the ceilings, if not the highest"
    )


def ceilings_of(arguments: argparse.Namespace) -> KnownCeilings:
    from rocm_perf_lab.measure.request import KnownCeilings

    return KnownCeilings(arguments.memory_bandwidth_gbps, arguments.clock_mhz)


def source_of(arguments: argparse.Namespace, verb: str, does: str) -> Source:
    """The application, or what ``--from`` names: exactly one of the two."""
    from rocm_perf_lab.measure.request import Recordings

    argv = application_of(arguments)
    if arguments.recordings and argv:
        raise UsageError(
            f"--from {does} recordings and runs nothing, but an application was given too",
            "use only one of the two",
        )
    if argv and arguments.gpu:
        raise UsageError(
            "--gpu is for recordings; an application runs on the GPU of this machine",
            "omit it",
        )
    if argv:
        return _measured(arguments, argv)
    if not arguments.recordings:
        raise UsageError(
            "neither an application nor --from was given", f"rocm-perf {verb} -- ./app args"
        )
    return Recordings(tuple(arguments.recordings), arguments.rocm, arguments.gpu)


def _measured(arguments: argparse.Namespace, argv: list[str]) -> Application:
    from rocm_perf_lab.measure.live import Application
    from rocm_perf_lab.reporters.progress import RunProgress

    return Application(
        tuple(argv),
        rocm=arguments.rocm,
        runs=arguments.runs,
        warmup=getattr(arguments, "warmup", 0),
        timeout_s=arguments.timeout,
        keep=arguments.keep_trace,
        progress=RunProgress(arguments.debug),
        debug=arguments.debug,
    )


def application_of(arguments: argparse.Namespace) -> Optional[list[str]]:
    """The argv to run: ``-- app args`` token by token, or the older positional forms."""
    positional: list[str] = arguments.command
    behind_dashes: Optional[list[str]] = arguments.application
    if behind_dashes is not None:
        if positional:
            raise UsageError(
                f"'{positional[0]}' is before -- and is not an option",
                "write the whole command of the application after --",
            )
        if not behind_dashes:
            raise UsageError("no application after --", "rocm-perf profile -- ./app args")
        return behind_dashes
    if len(positional) == 1:
        from rocm_perf_lab.collect.rocprof.application import split_command

        return split_command(positional[0]) or None
    return positional or None


def show(
    arguments: argparse.Namespace, document: Document, render: Callable[[Document], str]
) -> None:
    """The result on stdout: one JSON document, or what a person reads."""
    if arguments.json:
        from rocm_perf_lab.reporters.json_document import to_json

        PROGRESS.finish()
        sys.stdout.write(to_json(document))
    else:
        say_result(render(document))


def say_result(text: str) -> None:
    """What a person reads, the last line of it ``Result:``."""
    from rocm_perf_lab.reporters.colour import painted

    PROGRESS.finish()
    sys.stdout.write(painted(text, sys.stdout))


def say_to_program(text: str) -> None:
    """What a program reads on stdout; a person at a terminal sees no progress in between."""
    PROGRESS.finish()
    sys.stdout.write(text)


def say_done(text: str) -> None:
    """The one line of a verb that has nothing else to say."""
    from rocm_perf_lab.reporters.text_table import closing

    say_result(closing(f"Result: {text}") + "\n")


def show_traces_alone(arguments: argparse.Namespace, files: TraceFiles) -> int:
    """Thread traces without a recording of a run: they hold no times."""
    from rocm_perf_lab.measure.thread_traces import analyse_traces
    from rocm_perf_lab.reporters.figures.analysis import render_traces_alone
    from rocm_perf_lab.reporters.json_document import to_json, write_document

    if arguments.gpu:
        raise UsageError(
            "--gpu does not apply to thread traces alone, which are in cycles", "omit it"
        )
    document = analyse_traces(files, arguments.rocm)
    if arguments.out:
        write_document(arguments.out / "analysis.json", to_json(document))
    show(arguments, document, render_traces_alone)
    return 0


# --- of a search for faster code ---------------------------------------------------------------
