"""The table of benchmarks/README.md, from what ``benchmarks.projects.run`` kept.

python -m benchmarks.projects.table RESULTS
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_WORDS = {True: "yes", False: "no", None: "-"}


def table(programs: list[Any]) -> str:
    lines = ["| program | arguments | builds | ends | right | CPU s | why not |"]
    lines.append("|---" * 7 + "|")
    for one in programs:
        name, built = one["name"][: -len("-hip")], _WORDS[one["builds"]]
        ends, right = _WORDS[one["runs"]], _WORDS[one["right"]]
        seconds = f"{one['cpu_s']:.2f}" if one["runs"] is not None else "-"
        cells = (name, one["arguments"] or "-", built, ends, right, seconds, _why(one))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _why(one: Any) -> str:
    """In short: the library that is missing, the data, the time; else what it said."""
    why = str(one["why"])
    if "hipcc: note: " in why:
        return "no " + why.partition("hipcc: note: ")[2].partition(" is not installed")[0]
    if "boost/" in why:
        return "no Boost"
    if one["right"] is None and one["runs"] and not why:
        return "prints no verdict"
    return why.splitlines()[0] if why else ""


def summary(programs: list[Any]) -> str:
    built = [one for one in programs if one["builds"]]
    ended = [one for one in built if one["runs"]]
    right = sum(one["right"] is True for one in ended)
    wrong = sum(one["right"] is False for one in ended)
    return (
        f"{len(programs)} programs: {len(built)} build, {len(ended)} end, {right} say they are "
        f"right, {wrong} wrong, {len(ended) - right - wrong} print no verdict."
    )


if __name__ == "__main__":
    found = json.loads(Path(sys.argv[1]).read_text())["programs"]
    print(table(found))
    print(f"\n{summary(found)}")
