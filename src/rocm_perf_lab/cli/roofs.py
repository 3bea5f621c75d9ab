"""``rocm-perf roofs``: what this GPU really reaches: bandwidth of each memory, rate of each pipe.

The roofs are kept, and every later ``profile --roofline`` of an equal GPU is measured against them
instead of against data-sheet figures. The first GPU that the runtime shows is measured; choose
another one with ROCR_VISIBLE_DEVICES.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_perf_lab.cli.progress import RunProgress
from rocm_perf_lab.errors import ToolMissing, UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.arch.device import DeviceFacts
    from rocm_perf_lab.collect.prefix import Prefix
    from rocm_perf_lab.trace.measured_roofs import MeasuredRoofs

EXAMPLES = """\
examples:
  rocm-perf roofs
  rocm-perf roofs --only hbm matrix.bf16
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "roofs",
        help="measure the ceilings of the GPU, for the roofline",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rocm", type=Path, metavar="PREFIX", help="the ROCm installation to use")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="measure these and keep nothing: hbm, infinity_cache, l2, l1, lds, vector.fp32, "
        "matrix.bf16, ...",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument(
        "--debug", action="store_true", help="the profiler's command lines and log on stderr"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.collect.roof_store import roofs_document, store
    from rocm_perf_lab.reporters.json_document import to_json
    from rocm_perf_lab.reporters.roofs_text import render_roofs

    prefix = find_prefix(arguments.rocm)
    facts = _first_gpu(prefix)
    roofs = _measure(arguments, prefix, facts)
    document = roofs_document(roofs)
    kept = None if arguments.only else store(document)
    if arguments.json:
        sys.stdout.write(to_json(document))
    else:
        sys.stdout.write(render_roofs(roofs, facts, kept))
    return 0


def _first_gpu(prefix: Prefix) -> DeviceFacts:
    from rocm_perf_lab.arch.device import device_facts
    from rocm_perf_lab.collect.runtime_gpus import runtime_gpus

    found = runtime_gpus(prefix)
    if not found.gpus:
        raise ToolMissing(
            f"no GPU to measure: {found.problem or 'the runtime shows none'}", "rocm-perf doctor"
        )
    return device_facts(found.gpus[0].target, {"product_name": found.gpus[0].product})


def _measure(arguments: argparse.Namespace, prefix: Prefix, facts: DeviceFacts) -> MeasuredRoofs:
    from rocm_perf_lab.analysis.roof_measurement import (
        benchmark_arguments,
        measured_roofs,
        roof_names,
    )
    from rocm_perf_lab.collect.roofs import build_benchmark, record_benchmark
    from rocm_perf_lab.collect.space import recording_space

    known = roof_names(facts)
    names = arguments.only or known
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"{facts.target.name} has no roof {', '.join(unknown)}",
            f"choose from {', '.join(known)}",
        )
    with recording_space() as space:
        program = build_benchmark(prefix, facts.target.name, space)
        words = benchmark_arguments(facts, names)
        progress = RunProgress(arguments.debug)
        work, trace = record_benchmark(prefix, program, words, space, progress)
    return measured_roofs(work, trace)
