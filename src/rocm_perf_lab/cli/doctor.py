"""``rocm-perf doctor``: can this machine profile, and if not, how to fix it."""

from __future__ import annotations

import argparse
import sys

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_DONE, EXIT_TOOL_MISSING

EXAMPLES = """\
exit code 0 when profile can run, 3 when it cannot

examples:
  rocm-perf doctor
  rocm-perf doctor --rocm /opt/rocm-7.0.2 --json
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "doctor",
        help="check the ROCm installation, the GPU and the permissions",
        description=__doc__,
        epilog=EXAMPLES,
    )
    options.add_rocm_argument(parser)
    options.add_json_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.collect.doctor.checks import diagnose

    diagnosis = diagnose(arguments.rocm)
    if arguments.json:
        from rocm_perf_lab.collect.doctor.document import doctor_document
        from rocm_perf_lab.reporters.json_document import to_json

        sys.stdout.write(to_json(doctor_document(diagnosis)))
    else:
        from rocm_perf_lab.reporters.figures.doctor import render_doctor

        options.say_result(render_doctor(diagnosis))
    return EXIT_DONE if diagnosis.can_profile else EXIT_TOOL_MISSING
