"""Base against head as the comment of a CI job: findings of the checks, then the comparison."""

from __future__ import annotations

from rocm_perf_lab.prove.ci.ci_schema import CheckedModel, ChecksModel, CiDocument, FindingModel
from rocm_perf_lab.reporters.decisions.compare_markdown import code, escaped, render_markdown

MOST_FINDINGS = 20


def render_ci(document: CiDocument) -> str:
    parts = []
    if document.comparison is not None:
        parts.append(render_markdown(document.comparison))
    else:
        parts.append("### not compared: HEAD does not run to its end under the checks\n")
    if document.checks is not None:
        parts.append(_checks(document.checks))
    return "\n".join(parts)


def _checks(checks: ChecksModel) -> str:
    head = checks.head
    new = [one for one in head.findings if one.new]
    old = len(head.findings) - len(new)
    lines = [f"#### Checks: {_answer(new, old)}", ""]
    lines += [line for one in new[:MOST_FINDINGS] for line in _finding(one)]
    if len(new) > MOST_FINDINGS:
        lines.append(f"- {len(new) - MOST_FINDINGS} more are in the JSON document")
    if new:
        lines.append("")
    lines.append(f"Checked on the virtual device: {', '.join(checks.kinds)}. ")
    lines[-1] += f"Base: {_dispatches(checks.base)}. Head: {_dispatches(head)}."
    return "\n".join(lines) + "\n"


def _answer(new: list[FindingModel], old: int) -> str:
    before = f", {old} that base has too" if old else ""
    return f"{len(new)} new finding{'s' if len(new) != 1 else ''}{before}"


def _finding(finding: FindingModel) -> list[str]:
    where = [f"  - {code(line)}" for line in finding.where]
    return [f"- **{escaped(finding.what)}** in {code(finding.kernel)}", *where]


def _dispatches(checked: CheckedModel) -> str:
    if checked.dispatches is None:
        return "a finding ended the run"
    return f"{checked.dispatches} dispatch{'es' if checked.dispatches != 1 else ''}"
