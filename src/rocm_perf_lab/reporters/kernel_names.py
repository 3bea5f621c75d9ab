"""Demangled kernel names made short enough for a table column, and still told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rocm_perf_lab.reporters.text_table import ascii_only


def short_names(names: Sequence[str], width: int) -> list[str]:
    """One short name per name; names that would look alike get a number at their end."""
    shortened = [shorten(name, width) for name in names]
    times = Counter(shortened)
    seen: dict[str, int] = {}
    result = []
    for short in shortened:
        seen[short] = seen.get(short, 0) + 1
        if times[short] > 1:
            mark = f"#{seen[short]}"
            short = short[: width - len(mark)] + mark
        result.append(short)
    return result


def shorten(name: str, width: int) -> str:
    """Drops the return type, then the parameter list, then template arguments, then the tail."""
    text = ascii_only(name).strip()
    if len(text) <= width:
        return text
    text = _without_parameters(text)
    if text.startswith("void "):
        text = text[len("void ") :]
    if len(text) > width:
        text = _without_templates(text)
    return text if len(text) <= width else text[: width - 2] + ".."


def _without_parameters(text: str) -> str:
    """Cuts the argument list of a function signature: the last balanced (...) at its end."""
    end = text.rfind(")")
    depth = 0
    for position in range(end, -1, -1):
        depth += (text[position] == ")") - (text[position] == "(")
        if depth == 0:
            return text[:position] if position > 0 else text
    return text


def _without_templates(text: str) -> str:
    """Replaces every outermost <...> by <>; leaves operators such as << and unbalanced text."""
    kept = []
    depth = 0
    for character in text:
        if character == "<":
            if depth == 0:
                kept.append("<>")
            depth += 1
        elif character == ">" and depth > 0:
            depth -= 1
        elif depth == 0:
            kept.append(character)
    return "".join(kept) if depth == 0 else text
