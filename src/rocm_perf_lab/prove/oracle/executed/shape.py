"""What an instruction does or asks, whichever registers it has. Pure."""

from __future__ import annotations

import re

REGISTER = re.compile(
    r"\b(?:[vsa]\[\d+:\d+\]|(?:[vsa]\d+|ttmp\d+|vcc(?:_lo|_hi)?|exec(?:_lo|_hi)?|m0|scc|off)\b)"
)
_RELATION = re.compile(
    r"[vs]_cmpx?k?_(?P<relation>[a-z]+)_(?P<type>[a-z]\d+)(?:_e\d+|_sdwa|_dpp)? (?P<operands>.*)$"
)
_ENCODING = re.compile(r"(?<=\w)_e(?:32|64)\b")  # which registers fit, not what is done with them
_EQUALITIES = ("eq", "ne", "lg", "neq", "nlg")


def shape_of(text: str) -> str:
    """Of a comparison only what is compared: versions ask the same question the other way round."""
    plain = " ".join(REGISTER.sub("r", text.split("//")[0]).split())
    match = _RELATION.match(plain)
    if match is None:
        return _ENCODING.sub("", plain, count=1)
    operands = sorted(one.strip() for one in match["operands"].split(","))
    kept = [one for one in operands if one != "r"]
    equality = "equality" if match["relation"] in _EQUALITIES else "order"
    return f"{equality} {match['type']} {' '.join(kept)}"


def shape_of_two(name: str, first: str, second: str) -> str:
    """Of two conditions at once, in either order."""
    return f"{name} of ({') and ('.join(sorted((first, second)))})"
