"""``rocm-perf doctor``: can this machine profile, and if not, what cures it?"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_perf_lab.errors import EXIT_DONE, EXIT_TOOL_MISSING

if TYPE_CHECKING:
    from rocm_perf_lab.collect.doctor import Diagnosis, Finding

EXAMPLES = """\
examples:
  rocm-perf doctor
  rocm-perf doctor --rocm /opt/rocm-7.0.2 --json

exit code 0 when profile can run, 3 when it cannot
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "doctor",
        help="check the ROCm installation, the GPU and the permissions",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rocm", type=Path, metavar="PREFIX", help="the ROCm installation to use")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.collect.doctor import diagnose

    diagnosis = diagnose(arguments.rocm)
    if arguments.json:
        from rocm_perf_lab.collect.doctor_document import doctor_document
        from rocm_perf_lab.reporters.json_document import to_json

        sys.stdout.write(to_json(doctor_document(diagnosis)))
    else:
        sys.stdout.write(render(diagnosis))
    return EXIT_DONE if diagnosis.can_profile else EXIT_TOOL_MISSING


def render(diagnosis: Diagnosis) -> str:
    """One finding per line, its cure below it, and the answer in the last line."""
    lines = [line for finding in diagnosis.findings for line in _finding_lines(finding)]
    failed = sum(finding.status == "fail" for finding in diagnosis.findings)
    answer = f"profile cannot run, {failed} to cure" if failed else "profile can run"
    return "\n".join([*lines, "", f"Result: {answer}"]) + "\n"


def _finding_lines(finding: Finding) -> list[str]:
    title = f"[{finding.status}]".ljust(7) + f"{finding.name}: "
    lines = _wrap(title, finding.detail, continued=7)
    if finding.cure is not None:
        lines += _wrap("       cure: ", finding.cure, continued=13)
    return lines


def _wrap(title: str, text: str, continued: int) -> list[str]:
    from rocm_perf_lab.reporters.text_table import WIDTH, ascii_only

    return textwrap.wrap(
        title + ascii_only(text),
        WIDTH,
        subsequent_indent=" " * continued,
        break_on_hyphens=False,
    )
