"""What ``rocm-perf doctor`` found, as a person reads it."""

from __future__ import annotations

from rocm_perf_lab.collect.doctor.checks import Diagnosis, Finding
from rocm_perf_lab.reporters import text_table as tt


def render_doctor(diagnosis: Diagnosis) -> str:
    """One finding per line, its fix below it, and the answer in the last line."""
    lines = [line for finding in diagnosis.findings for line in _finding_lines(finding)]
    failed = sum(finding.status == "fail" for finding in diagnosis.findings)
    answer = _cannot(failed) if failed else "profile can run"
    return "\n".join([*lines, "", tt.closing(f"Result: {answer}")]) + "\n"


def _cannot(failed: int) -> str:
    return f"profile cannot run: {failed} problem{'' if failed == 1 else 's'}"


def _finding_lines(finding: Finding) -> list[str]:
    lines = [tt.field(f"[{finding.status}]", f"{finding.name}: {finding.detail}", width=7)]
    if finding.cure is not None:
        lines.append(tt.field("       fix:", finding.cure, width=13))
    return lines
