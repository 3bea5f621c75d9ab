"""``rocm-perf isolate``: take one kernel dispatch out of a running application."""

from __future__ import annotations

import argparse

from rocm_perf_lab.cli import options as shared
from rocm_perf_lab.errors import UsageError

EXAMPLES = """\
examples:
  rocm-perf isolate --list -- ./app 100
  rocm-perf isolate --kernel 'gemm.*float' --dispatch 3 --out capture -- ./app 100
  rocm-perf replay run capture
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "isolate",
        help="capture one dispatch with all memory it can reach, before and after",
        description=__doc__,
        epilog=EXAMPLES,
    )
    shared.add_application_argument(parser)
    _add_choice(parser)
    parser.add_argument(
        "--out",
        action=shared.Written,
        metavar="DIR",
        help="folder of the capture (isolate_capture_<pid>)",
    )
    parser.add_argument(
        "--max-bytes", type=int, metavar="N", help="stop if more would have to be stored"
    )
    parser.add_argument(
        "--compress",
        action="store_true",
        help="compress the stored memory with Zstandard (needs the package zstandard)",
    )
    parser.add_argument(
        "--list", action="store_true", help="capture nothing: show what could be captured"
    )
    shared.add_timeout_argument(parser, per_run=False)
    shared.add_rocm_argument(parser)
    shared.add_json_argument(parser)
    parser.set_defaults(run=run)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kernel",
        type=shared.expression,
        metavar="REGEX",
        help="searched in the demangled and the mangled name",
    )
    parser.add_argument(
        "--dispatch",
        type=int,
        default=0,
        metavar="N",
        help="which dispatch of the matching kernels, from 0 (0)",
    )


def run(arguments: argparse.Namespace) -> int:
    application = shared.application_of(arguments)
    if not application:
        raise UsageError("no application was given", "rocm-perf isolate --list -- ./app args")
    return _list(arguments, application) if arguments.list else _isolate(arguments, application)


def _list(arguments: argparse.Namespace, application: list[str]) -> int:
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.replay.isolate import list_kernels
    from rocm_perf_lab.replay.replay_schema import SCHEMA_VERSION, ListDocument
    from rocm_perf_lab.reporters.decisions.replay import render_list

    kernels = list_kernels(
        application, find_prefix(arguments.rocm), arguments.kernel or "", arguments.timeout
    )
    shown = tuple(kernel for kernel in kernels if kernel.matches)
    document = ListDocument(schema_version=SCHEMA_VERSION, kernels=shown)
    shared.show(arguments, document, render_list)
    return 0


def _isolate(arguments: argparse.Namespace, application: list[str]) -> int:
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.replay.isolate import IsolateOptions, isolate
    from rocm_perf_lab.replay.replay_schema import isolate_document
    from rocm_perf_lab.reporters.decisions.replay import render_isolate

    if not arguments.kernel:
        raise UsageError(
            "--kernel REGEX is missing", "list the kernels: rocm-perf isolate --list -- ..."
        )
    if arguments.dispatch < 0 or (arguments.max_bytes is not None and arguments.max_bytes <= 0):
        raise UsageError("--dispatch counts from 0, and --max-bytes must be above 0")
    options = IsolateOptions(
        kernel=arguments.kernel,
        dispatch=arguments.dispatch,
        out=arguments.out,
        max_bytes=arguments.max_bytes,
        timeout_s=arguments.timeout,
        compress=arguments.compress,
    )
    document = isolate_document(isolate(application, find_prefix(arguments.rocm), options))
    shared.show(arguments, document, render_isolate)
    return 0
