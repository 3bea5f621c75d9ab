"""``rocm-perf selftest``: check that everything works here, by every verb on the examples.

Each step runs as you would type it, in a folder of its own, and is checked against known facts of
the example: how often it launches, what it computes. This takes some minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.selftest.document import CalibrationModel

BUNDLE = "rocm-perf-calibration.json"
EXAMPLES = """\
exit codes:
  0 every step passed or was skipped   1 a step failed   3 no ROCm, or no device

examples:
  rocm-perf selftest
  rocm-perf selftest --only profile replay --keep work
  rocm-perf selftest --list
  rocm-perf selftest --calibrate --bundle mi300x.json
  rocm-perf selftest --calibrate --only matrix hbm
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "selftest",
        help="run every verb on the examples and check the results",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only these verbs and their prerequisites; with --calibrate also benchmarks or kinds "
        "of them",
    )
    parser.add_argument("--list", action="store_true", help="list the steps without running them")
    parser.add_argument(
        "--keep",
        action=options.Written,
        metavar="DIR",
        help="a new folder for all output of the steps (kept only if a step fails)",
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="also compare times of benchmarks on this device and on the virtual one",
    )
    parser.add_argument(
        "--bundle",
        action=options.Written,
        is_file=True,
        metavar="FILE",
        help=f"write the times of --calibrate to FILE, to share them ({BUNDLE})",
    )
    options.add_rocm_argument(parser)
    options.add_json_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.list:
        return _list(arguments)
    if arguments.bundle is not None and not arguments.calibrate:
        raise UsageError("--bundle is for --calibrate", "add --calibrate")
    from rocm_perf_lab.reporters.figures.selftest import StepProgress, render_selftest
    from rocm_perf_lab.selftest.document import selftest_document
    from rocm_perf_lab.selftest.parts import parts_of
    from rocm_perf_lab.selftest.work import SelftestRequest, selftest
    from rocm_perf_lab.trace.files.places import check_file

    parts = parts_of(arguments.only, arguments.calibrate)
    if parts.benchmarks is not None and arguments.bundle is None:
        check_file(Path(BUNDLE), "--bundle")
    request = SelftestRequest(arguments.rocm, parts.verbs, arguments.keep)
    found = selftest(request, StepProgress())
    document = selftest_document(found, _calibrated(arguments, parts.benchmarks))
    options.show(arguments, document, render_selftest)
    return EXIT_DONE if document.holds else EXIT_ANSWER_IS_NO


def _calibrated(
    arguments: argparse.Namespace, benchmarks: Optional[Sequence[str]]
) -> Optional[CalibrationModel]:
    """Writes the bundle, too."""
    if benchmarks is None:
        return None
    from rocm_perf_lab.reporters.figures.selftest import StepProgress
    from rocm_perf_lab.reporters.json_document import to_json, write_document
    from rocm_perf_lab.reporters.progress import BuildProgress
    from rocm_perf_lab.selftest.calibrate.bundle import bundle_of
    from rocm_perf_lab.selftest.calibrate.work import CalibrateRequest, calibrate
    from rocm_perf_lab.selftest.document import calibration_model

    building = BuildProgress("building the virtual ROCm").now
    request = CalibrateRequest(arguments.rocm, benchmarks)
    calibration = calibrate(request, StepProgress(), building)
    place = arguments.bundle or Path(BUNDLE)
    write_document(place, to_json(bundle_of(calibration)))
    return calibration_model(calibration, place)


def _list(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.reporters.figures.selftest import render_list
    from rocm_perf_lab.selftest.calibrate.rows import chosen_rows
    from rocm_perf_lab.selftest.parts import parts_of
    from rocm_perf_lab.selftest.steps import LEFT_OUT, chosen

    parts = parts_of(arguments.only, arguments.calibrate)
    steps = () if parts.verbs is None else chosen(parts.verbs)
    rows = () if parts.benchmarks is None else chosen_rows(parts.benchmarks)
    options.say_result(render_list(steps, LEFT_OUT, rows))
    return EXIT_DONE
