"""What the report of a stage says of the candidate, read from the report itself.

Reports are JSON objects of different kinds. Those with a `verdict` say it; those with `refusals`
say whether there are any; the others measure something and object to nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

FOLDER = "reports/"
SAYS_NOTHING = "no verdict"
DAMAGED = "damaged"
REFUSED = "refused"
_AGAINST = frozenset(("different", "fail", "failed", "reject", "rejected", REFUSED, DAMAGED))
_REFUSAL = FOLDER + "refusal.json"


def said_by(name: str, data: bytes) -> str:
    """One word. A refusal inside of a report counts more than the word on top of it."""
    try:
        report = json.loads(data)
    except ValueError:
        return DAMAGED
    if not isinstance(report, dict):
        return SAYS_NOTHING
    if name == _REFUSAL or report.get("refusals"):
        return REFUSED
    word = str(report.get("verdict", SAYS_NOTHING))
    against = [one for one in _words_of_parts(report) if one in _AGAINST]
    return against[0] if against and word not in _AGAINST else word


def is_report(name: str) -> bool:
    return name.startswith(FOLDER) and name.endswith(".json")


def speaks_against(word: str) -> bool:
    return word in _AGAINST


def _words_of_parts(report: Mapping[str, Any]) -> Iterator[str]:
    parts = report.get("stages")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and isinstance(part.get("verdict"), str):
            yield part["verdict"]
