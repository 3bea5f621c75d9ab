"""What was found in each program, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    """Of one program. ``gain`` is estimated, ``claim`` is proven; 1 when nothing was accepted."""

    name: str
    arguments: str
    verdict: str
    reason: str
    gain: float
    claim: float
    application: float
    attempts: int
    seconds: float
    unchanged: bool  # the tree, after the search
    check: str  # the program's own, of accepted code
    change: str

    @property
    def broken(self) -> bool:
        return not self.unchanged or self.check not in ("", "pass")


def table(results: Sequence[Found]) -> str:
    lines = [
        "| program | arguments | verdict | gain | claim | application | attempts | seconds "
        "| own check | change, or why none |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        claim = f"{one.claim:.2f}x" if one.verdict == "accept" else "none"
        last = one.change or one.reason.strip().replace("\n", " ")[-200:]
        lines.append(
            f"| {one.name} | {one.arguments} | {one.verdict} | {one.gain:.2f}x | {claim} | "
            f"{one.application:.2f}x | {one.attempts} | {one.seconds:.0f} | {one.check or '-'} | "
            f"{last} |"
        )
    return "\n".join(lines)


def summary(results: Sequence[Found]) -> tuple[str, bool]:
    """One line, and whether no program is broken."""
    gaining = sum(one.verdict == "accept" for one in results)
    failed = sum(one.verdict.startswith("exit") for one in results)
    broken = [one.name for one in results if one.broken]
    text = (
        f"{len(results)} programs: {gaining} with a proven gain, "
        f"{len(results) - gaining - failed} left alone, {failed} without an answer, "
        f"{len(broken)} broken {' '.join(broken)}".rstrip()
    )
    return text, not broken
