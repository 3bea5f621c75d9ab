"""``rocm-perf replay``: run a captured dispatch again, alone, at its own addresses."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.cli.options import say_result, seconds, show
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.replay.capture import Capture
    from rocm_perf_lab.replay.plan import ReplayOptions
    from rocm_perf_lab.replay.verify import Tolerance

EXIT_RELOCATED = 2  # as in the original
_PROVEN = ("equal", "within_tolerance")

EXAMPLES = """\
exit codes of damaged captures:
  10 a file has the wrong length   11 wrong bytes   12 is missing   13 regions overlap
  14 code for another ISA            5 other damage

examples:
  rocm-perf replay check capture
  rocm-perf replay run capture --iterations 100
  rocm-perf replay run capture --hsaco faster.hsaco
  rocm-perf replay compare capture --hsaco faster.hsaco
  rocm-perf replay export capture --to reproducer
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "replay",
        help="run a captured dispatch again and compare the resulting memory",
        description=__doc__,
        epilog=EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_check(actions)
    _add_run(actions)
    _add_compare(actions)
    _add_export(actions)


def _add_check(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        "check",
        aliases=["reserve-check"],
        help="is the capture complete, and are its addresses free? exit code 0, 1 or 2 (relocated)",
        epilog="example:\n  rocm-perf replay check capture",
    )
    _add_common(parser)
    parser.set_defaults(run=run_check)


def _add_run(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        "run",
        aliases=["full-vm"],
        help="replay, measure, and compare the resulting memory",
        epilog="example:\n  rocm-perf replay run capture --iterations 100",
    )
    _add_common(parser)
    _add_measuring(parser, iterations=1)
    parser.add_argument(
        "--no-recopy",
        action="store_true",
        help="do not restore the captured memory before every iteration",
    )
    parser.add_argument(
        "--hsaco", type=Path, metavar="FILE", help="run this code instead of the captured one"
    )
    parser.add_argument(
        "--race-check",
        type=int,
        metavar="N",
        help="replay N times with different orders of waves and compare the resulting memory",
    )
    parser.set_defaults(run=run_run)


def _add_compare(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        "compare",
        help="run two versions of the kernel alternately in one process: equal? faster?",
        epilog="example:\n  rocm-perf replay compare capture --hsaco faster.hsaco",
    )
    _add_common(parser)
    _add_measuring(parser, iterations=20)
    parser.add_argument(
        "--hsaco",
        type=Path,
        action="append",
        required=True,
        metavar="FILE",
        help="given once: compare with the captured code; twice: compare the second with the first",
    )
    parser.set_defaults(run=run_compare)


def _add_export(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        "export",
        help="write a folder with the data and a small C++ program that runs the kernel with any "
        "ROCm",
        epilog="example:\n  rocm-perf replay export capture --to reproducer",
    )
    _add_capture(parser)
    parser.add_argument(
        "--to", type=Path, required=True, metavar="FOLDER", help="the folder to create"
    )
    parser.set_defaults(run=run_export)


def _add_capture(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("capture", nargs="?", type=Path, metavar="DIR", help="the capture")
    parser.add_argument("--capture-dir", type=Path, metavar="DIR", help="the capture (older form)")


def _add_common(parser: argparse.ArgumentParser) -> None:
    _add_capture(parser)
    parser.add_argument("--device", type=int, default=0, metavar="N", help="which GPU (0)")
    parser.add_argument(
        "--no-steering",
        action="store_true",
        help="start the runtime before reserving the addresses",
    )
    parser.add_argument("--rocm", type=Path, metavar="PREFIX", help="the ROCm installation to use")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _add_measuring(parser: argparse.ArgumentParser, iterations: int) -> None:
    parser.add_argument(
        "--iterations",
        type=int,
        default=iterations,
        metavar="N",
        help=f"measured iterations ({iterations})",
    )
    parser.add_argument(
        "--warmup",
        type=int,
        default=1,
        metavar="N",
        help="warm-up iterations before those, not timed (1)",
    )
    parser.add_argument(
        "--tolerance",
        metavar="TYPE:REL[:ABS]",
        help="accept different floating-point results, for example f32:1e-5",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=600.0,
        metavar="S",
        help="time limit of an iteration in seconds (600)",
    )
    parser.add_argument(
        "--allow-unsupported",
        action="store_true",
        help="replay although the kernel may use resources that the capture lacks",
    )


def run_check(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.replay.replay import check
    from rocm_perf_lab.reporters.decisions.replay import render_check

    with _capture(arguments) as capture:
        document = check(capture, find_prefix(arguments.rocm), _options(arguments))
    show(arguments, document, render_check)
    found = {place.status for place in document.places}
    if "FAIL" in found:
        return EXIT_ANSWER_IS_NO
    return EXIT_RELOCATED if "RELOCATED" in found else EXIT_DONE


def run_run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.replay.replay import replay
    from rocm_perf_lab.reporters.decisions.replay import render_replay

    if arguments.race_check is not None:
        return _race_check(arguments)
    with _capture(arguments) as capture:
        document = replay(
            capture,
            find_prefix(arguments.rocm),
            _options(arguments),
            hsaco=arguments.hsaco,
            tolerance=_tolerance(arguments),
            allow_unsupported=arguments.allow_unsupported,
        )
    show(arguments, document, render_replay)
    return EXIT_DONE if document.verification.verdict in _PROVEN else EXIT_ANSWER_IS_NO


def _race_check(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.replay.replay import race_check
    from rocm_perf_lab.reporters.decisions.replay import render_race

    if arguments.hsaco is not None:
        raise UsageError("--race-check checks the captured code", "omit --hsaco")
    with _capture(arguments) as capture:
        document = race_check(
            capture,
            find_prefix(arguments.rocm),
            arguments.race_check,
            _options(arguments),
            allow_unsupported=arguments.allow_unsupported,
        )
    show(arguments, document, render_race)
    return EXIT_DONE if document.deterministic else EXIT_ANSWER_IS_NO


def run_compare(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.prove.compare.versions import compare_versions
    from rocm_perf_lab.reporters.decisions.replay import render_compare

    with _capture(arguments) as capture:
        document = compare_versions(
            capture,
            find_prefix(arguments.rocm),
            _options(arguments),
            arguments.hsaco,
            tolerance=_tolerance(arguments),
            allow_unsupported=arguments.allow_unsupported,
        )
    show(arguments, document, render_compare)
    refused = ("different", "unverified", "slower")
    return EXIT_ANSWER_IS_NO if document.verdict in refused else EXIT_DONE


def run_export(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.replay.export import export_capture
    from rocm_perf_lab.reporters.decisions.replay import render_export

    with _capture(arguments) as capture:
        exported = export_capture(capture, arguments.to)
    say_result(render_export(exported))
    return EXIT_DONE


def _capture(arguments: argparse.Namespace) -> AbstractContextManager[Capture]:
    from rocm_perf_lab.replay.capture import opened_capture

    folder: Optional[Path] = arguments.capture or arguments.capture_dir or _newest()
    if folder is None:
        raise UsageError(
            "no capture was given, and this folder has none",
            "make one: rocm-perf isolate --kernel REGEX -- ./app",
        )
    return opened_capture(folder)


def _newest() -> Optional[Path]:
    """The capture of this directory that was made last."""
    found = [path for path in Path().glob("isolate_capture*") if (path / "dispatch.json").is_file()]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def _options(arguments: argparse.Namespace) -> ReplayOptions:
    from rocm_perf_lab.replay.plan import ReplayOptions

    iterations = getattr(arguments, "iterations", 1)
    warmup = getattr(arguments, "warmup", 0)
    if iterations < 1 or warmup < 0 or arguments.device < 0:
        raise UsageError("--iterations must be at least 1, --warmup and --device at least 0")
    recopy = not getattr(arguments, "no_recopy", False)
    return ReplayOptions(
        iterations=iterations,
        warmup=warmup,
        recopy=recopy,
        device=arguments.device,
        steering=not arguments.no_steering,
        timeout_s=getattr(arguments, "timeout", 600.0),
    )


def _tolerance(arguments: argparse.Namespace) -> Optional[Tolerance]:
    from rocm_perf_lab.replay.verify import parse_tolerance

    return None if arguments.tolerance is None else parse_tolerance(arguments.tolerance)
