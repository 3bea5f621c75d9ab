"""``rocm-perf verify``: does a changed kernel or application still compute the same?"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.cli.options import add_json_argument, add_rocm_argument, seconds, show
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, ToolMissing, UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.collect.prefix import Prefix
    from rocm_perf_lab.prove.oracle.document import VerifyDocument
    from rocm_perf_lab.prove.oracle.reference import ReferenceMaker
    from rocm_perf_lab.prove.oracle.report import OracleReport
    from rocm_perf_lab.replay.capture import Capture

EXAMPLES = """\
exit codes:
  0 equal   1 different or unverified

examples:
  rocm-perf verify capture --hsaco faster.hsaco
  rocm-perf verify capture --hsaco faster.hsaco --dtype 0=f16 --reference precise.hsaco
  rocm-perf verify capture --hsaco faster.hsaco --source old.hip --flags '-O3 -Iinclude'
  rocm-perf verify --baseline './app 100' --candidate './app_new 100' --file out.bin
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "verify",
        help="does a changed kernel or application still compute the same result?",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "capture", nargs="?", type=Path, metavar="DIR", help="a capture of the old kernel"
    )
    _add_dispatch(parser.add_argument_group("a captured dispatch"))
    _add_application(parser.add_argument_group("the whole application"))
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=60.0,
        metavar="S",
        help="time limit of a launch or program in seconds (60)",
    )
    add_rocm_argument(parser)
    add_json_argument(parser)
    parser.set_defaults(run=run)


def _add_dispatch(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--hsaco", type=Path, metavar="FILE", help="code object with the new kernel")
    group.add_argument("--kernel", metavar="NAME", help="name of the new kernel, if it differs")
    group.add_argument(
        "--dtype",
        action="append",
        default=[],
        metavar="N=TYPE",
        help="type of the elements that argument N (from 0) points to: f32, f16, bf16, f64, ...",
    )
    group.add_argument(
        "--reference",
        type=Path,
        metavar="FILE",
        help="code object that computes the same more precisely: the reference for errors",
    )
    group.add_argument(
        "--reference-kernel", metavar="NAME", help="name of the reference kernel, if it differs"
    )
    group.add_argument(
        "--source",
        type=Path,
        metavar="FILE",
        help="source of the old kernel: the reference is made from it where possible",
    )
    group.add_argument("--flags", default="-O3", help="flags of hipcc for --source (-O3)")
    _add_strictness(group)
    group.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of the generated inputs (0)"
    )
    group.add_argument("--device", type=int, default=0, metavar="N", help="index of the GPU (0)")
    group.add_argument(
        "--allow-unsupported",
        action="store_true",
        help="verify although the kernel may use resources that the capture lacks",
    )


def _add_strictness(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--exact", action="store_true", help="accept no rounding differences")
    group.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=("unseen",),
        metavar="WHAT",
        help="unseen: accept code of the change that no trial executed",
    )


def _add_application(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--baseline", metavar="COMMAND", help="the old program with its arguments")
    group.add_argument("--candidate", metavar="COMMAND", help="the new program with its arguments")
    group.add_argument(
        "--file",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="output file that both programs write",
    )
    group.add_argument(
        "--unboxed",
        action="store_true",
        help="run both in this folder without the sandbox",
    )
    group.add_argument(
        "--check", metavar="COMMAND", help="an additional check; exit code 0 means equal"
    )


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.reporters.decisions.oracle import render_verify

    document = _verified(arguments)
    show(arguments, document, render_verify)
    return EXIT_DONE if document.verdict == "equal" else EXIT_ANSWER_IS_NO


def _verified(arguments: argparse.Namespace) -> VerifyDocument:
    from rocm_perf_lab import __version__
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.prove.oracle.document import SCHEMA_VERSION, VerifyDocument, combined
    from rocm_perf_lab.replay.capture import opened_capture

    _check(arguments)
    kernel, kind, dispatch = None, None, None
    if arguments.capture is not None:
        prefix = find_prefix(arguments.rocm)
        with opened_capture(arguments.capture) as capture:
            kernel, kind = capture.dispatch.demangled_name, prefix.kind
            dispatch = _dispatch(arguments, capture, prefix)
    application = _application(arguments)
    decided = combined(dispatch, application)
    return VerifyDocument(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        verdict=decided.verdict,
        tier=decided.tier,
        reason=decided.reason,
        kernel=kernel,
        candidate=None if arguments.hsaco is None else str(arguments.hsaco),
        rocm_kind=kind,
        dispatch=dispatch,
        application=application,
    )


def _check(arguments: argparse.Namespace) -> None:
    if (arguments.capture is None) != (arguments.hsaco is None):
        raise UsageError(
            "a capture and --hsaco belong together", "rocm-perf verify DIR --hsaco FILE"
        )
    if arguments.source is not None and (arguments.reference or arguments.hsaco is None):
        raise UsageError("--source is for a captured dispatch, and excludes --reference")
    if (arguments.baseline is None) != (arguments.candidate is None):
        raise UsageError("--baseline and --candidate belong together")
    if arguments.capture is None and arguments.baseline is None:
        raise UsageError("nothing to verify", "name a capture and --hsaco, or two commands")
    if arguments.baseline is None and (arguments.file or arguments.check):
        raise UsageError("--file and --check need --baseline and --candidate")
    if arguments.device < 0 or arguments.seed < 0:
        raise UsageError("--device and --seed must be at least 0")


def _dispatch(arguments: argparse.Namespace, capture: Capture, prefix: Prefix) -> OracleReport:
    from rocm_perf_lab.collect.rocprof.application import split_command
    from rocm_perf_lab.optimize.reference import reference_from_source
    from rocm_perf_lab.prove.oracle.reference import given
    from rocm_perf_lab.trace.files.temporary import temporary_folder

    if arguments.reference is not None:
        precise = given(arguments.reference, arguments.reference_kernel)
        return _compared(arguments, capture, prefix, precise)
    if arguments.source is None:
        return _compared(arguments, capture, prefix, None)
    name, flags = capture.dispatch.demangled_name, split_command(arguments.flags)
    with temporary_folder("reference") as folder:
        make = partial(
            reference_from_source, arguments.source, flags, name, prefix, Path(folder).resolve()
        )
        return _compared(arguments, capture, prefix, make)


def _compared(
    arguments: argparse.Namespace,
    capture: Capture,
    prefix: Prefix,
    reference: Optional[ReferenceMaker],
) -> OracleReport:
    from rocm_perf_lab.prove.oracle import OracleRequest, check_equal
    from rocm_perf_lab.prove.oracle.passed.buffers import parse_types

    request = OracleRequest(
        capture=capture,
        candidate=arguments.hsaco,
        prefix=prefix,
        kernel=arguments.kernel,
        types=parse_types(arguments.dtype),
        reference=reference,
        seed=arguments.seed,
        exact=arguments.exact,
        allow_unseen="unseen" in arguments.allow,
        device=arguments.device,
        timeout_s=arguments.timeout,
        allow_unsupported=arguments.allow_unsupported,
    )
    return check_equal(request)


def _application(arguments: argparse.Namespace) -> Optional[OracleReport]:
    from rocm_perf_lab.collect.rocprof.application import split_command
    from rocm_perf_lab.prove.oracle import ApplicationRequest, check_application

    if arguments.baseline is None:
        return None
    request = ApplicationRequest(
        baseline=split_command(arguments.baseline),
        candidate=split_command(arguments.candidate),
        files=arguments.file,
        check=None if arguments.check is None else split_command(arguments.check),
        timeout_s=arguments.timeout,
        boxed=not arguments.unboxed,
        rocm=_rocm_folder(arguments),
    )
    return check_application(request)


def _rocm_folder(arguments: argparse.Namespace) -> Optional[Path]:
    """A program may need none; one that was named has to be there."""
    from rocm_perf_lab.collect.prefix import find_prefix

    try:
        return find_prefix(arguments.rocm).path
    except ToolMissing:
        if arguments.rocm is not None:
            raise
        return None
