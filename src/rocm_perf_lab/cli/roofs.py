"""``rocm-perf roofs``: measure what this GPU reaches: bandwidth of each memory, rate of each pipe.

The roofs are stored. ``profile --roofline`` then uses them for every equal GPU instead of the
figures of the data sheet. The first GPU of the runtime is measured; select another one with
ROCR_VISIBLE_DEVICES.
"""

from __future__ import annotations

import argparse

from rocm_perf_lab.cli import options

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
    )
    options.add_rocm_argument(parser)
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="measure only these and store nothing: hbm, infinity_cache, l2, l1, lds, vector.fp32, "
        "matrix.bf16, ...",
    )
    options.add_json_argument(parser)
    options.add_debug_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.collect.roof_store import roofs_document, store
    from rocm_perf_lab.measure.roofs import measure_roofs
    from rocm_perf_lab.reporters.figures.roofs import render_roofs
    from rocm_perf_lab.reporters.progress import RunProgress

    progress = RunProgress(arguments.debug)
    roofs, facts = measure_roofs(arguments.rocm, arguments.only or (), progress)
    document = roofs_document(roofs)
    kept = None if arguments.only else store(document)
    options.show(arguments, document, lambda _: render_roofs(roofs, facts, kept))
    return 0
