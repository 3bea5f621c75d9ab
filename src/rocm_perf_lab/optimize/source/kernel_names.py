"""Which kernel of the source a profiler's demangled name stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Optional

from rocm_perf_lab.optimize.source.model import Kernel

_ANONYMOUS = "(anonymous namespace)::"


def qualified_name(demangled: str) -> str:
    """``void app::k<float>(float*) [clone .kd]`` is ``app::k``."""
    text = demangled.replace(_ANONYMOUS, "").partition(" [clone ")[0]
    kept, depth = [], 0
    for letter in text:
        if letter == "(" and depth == 0:
            break
        depth += (letter == "<") - (letter == ">")
        if depth == 0 and letter != ">":
            kept.append(letter)
    return "".join(kept).split(" ")[-1]


def template_arguments(demangled: str) -> tuple[str, ...]:
    """``void k<float, 16>(float*)`` has ``float`` and ``16``; none for what is not an instance."""
    text = demangled.replace(_ANONYMOUS, "").partition(" [clone ")[0]
    depth, start, found = 0, 0, ""
    for place, letter in enumerate(text):
        if letter == "(" and depth == 0:
            break
        if letter == "<":
            start = place + 1 if depth == 0 else start
            depth += 1
        elif letter == ">":
            depth -= 1
            found = text[start:place] if depth == 0 else found
        elif depth == 0:
            found = ""  # of a class or a type in front of the name
    return tuple(_split(found)) if found else ()


def _split(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()


def kernel_of(kernels: Iterable[Kernel], demangled: str) -> Optional[Kernel]:
    """Overloads are distinguished by the number of their parameters, as far as that goes."""
    name = qualified_name(demangled)
    named = [k for k in kernels if _plain(k.qualified_name) == name]
    if not named:
        named = [k for k in kernels if k.name == name.rpartition("::")[2]]
    count = _parameters(demangled)
    exact = [k for k in named if count is None or len(k.parameters) == count]
    return next(iter(exact or named), None)


def _plain(name: str) -> str:
    return name.replace(_ANONYMOUS, "")


def _parameters(demangled: str) -> Optional[int]:
    """How many, None for a name without a signature."""
    text = demangled.replace(_ANONYMOUS, "").partition(" [clone ")[0].rstrip()
    if not text.endswith(")"):
        return None
    depth, count, start = 0, 1, len(text) - 1
    for place in range(len(text) - 1, -1, -1):
        letter = text[place]
        depth += (letter in ")>") - (letter in "(<")
        count += letter == "," and depth == 1
        if depth == 0:
            start = place
            break
    return 0 if text[start:].replace(" ", "") in ("()", "(void)") else count
