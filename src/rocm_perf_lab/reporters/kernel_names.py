"""Demangled kernel names made short enough for a table column, and still distinguished."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest

from rocm_perf_lab.reporters.text_table import ascii_only

_WORD = re.compile(r"[^\W_]+")  # library kernels are one identifier with many underscores
_MANGLED, _LENGTH = re.compile(r"_Z(N?)K?(?=\d)"), re.compile(r"\d+")
_NOWHERE = "(anonymous namespace)::"


def short_names(names: Sequence[str], width: int) -> list[str]:
    """One short name per name. Names that would look alike get back the words by which they
    differ, and a number where there is no room for these."""
    shortened = [shorten(name, width) for name in names]
    alike: dict[str, list[int]] = defaultdict(list)
    for position, short in enumerate(shortened):
        alike[short].append(position)
    taken = {short for short, positions in alike.items() if len(positions) == 1}
    for short, positions in alike.items():
        if len(positions) > 1:
            longer = _longer(short, [names[position] for position in positions], width, taken)
            taken.update(longer)
            for position, name in zip(positions, longer):
                shortened[position] = name
    return shortened


def short_name(name: str, among: Sequence[str], width: int) -> str:
    """The short name that it has among others."""
    return short_names(among, width)[among.index(name)]


def _longer(short: str, names: Sequence[str], width: int, taken: set[str]) -> list[str]:
    """As few differing words as tell the names apart: ``gemm<>[128]`` and ``gemm<>[256]``."""
    columns = zip_longest(*(_WORD.findall(ascii_only(name)) for name in names), fillvalue="-")
    told: list[str] = [""] * len(names)
    for column in columns:
        more = [f"{have},{word}" if have else word for have, word in zip(told, column)]
        if len(set(more)) > len(set(told)):
            told = more
    marked = [_marked(short, f"[{words}]", width) for words in told]
    if len(set(marked)) == len(names) and not taken.intersection(marked):
        return marked
    return _numbered(short, len(names), width, taken)


def _marked(short: str, mark: str, width: int) -> str:
    """A third of the room at least stays for the name itself; without it all are alike."""
    return short[: width - len(mark)] + mark if 3 * len(mark) <= 2 * width else short


def _numbered(short: str, count: int, width: int, taken: set[str]) -> list[str]:
    found: list[str] = []
    number = 0
    while len(found) < count:
        number += 1
        mark = f"#{number}"
        name = short[: width - len(mark)] + mark
        if name not in taken:
            found.append(name)
    return found


def shorten(name: str, width: int) -> str:
    """Drops the return type, then the parameter list, then template arguments, then the tail."""
    text = _readable(ascii_only(name).strip())
    if len(text) <= width:
        return text
    text = _without_parameters(text.replace(_NOWHERE, ""))
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


def _readable(name: str) -> str:
    """``_ZN5aiter4addKIDF16bEEvv`` as ``aiter::addK<>``: the identifiers of a name that no
    demangler of the recording's machine could read."""
    start = _MANGLED.match(name)
    if start is None:
        return name
    at, parts = start.end(), []
    while length := _LENGTH.match(name, at):
        at = length.end() + int(length.group())
        parts.append(name[length.end() : at])
        if not start.group(1):
            break
    if not parts or not all(parts) or at > len(name):
        return name
    return "::".join(parts) + ("<>" if name[at : at + 1] == "I" else "")
