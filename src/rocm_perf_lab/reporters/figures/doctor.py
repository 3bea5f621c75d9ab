"""What ``rocm-perf doctor`` found, as a person reads it."""

from __future__ import annotations

import textwrap

from rocm_perf_lab.collect.doctor.checks import Diagnosis, Finding
from rocm_perf_lab.reporters.text_table import WIDTH, ascii_only


def render_doctor(diagnosis: Diagnosis) -> str:
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
    return textwrap.wrap(
        title + ascii_only(text),
        WIDTH,
        subsequent_indent=" " * continued,
        break_on_hyphens=False,
    )
