"""A command with places for parameters: ``./kernel --bm {BLOCK_M}``.

Split into words first and filled afterwards, so that no value ever becomes two words or a shell's
syntax. ``{{`` and ``}}`` are braces.
"""

from __future__ import annotations

import shlex
import string
from collections.abc import Mapping
from dataclasses import dataclass

from rocm_perf_lab.errors import UsageError

OUTPUT = "output"  # what --build-template makes


@dataclass(frozen=True)
class Template:
    words: tuple[str, ...]
    names: frozenset[str]

    def filled(self, values: Mapping[str, object]) -> tuple[str, ...]:
        texts = {name: str(value) for name, value in values.items()}
        return tuple(word.format_map(texts) for word in self.words)


def read_template(text: str, option: str, known: frozenset[str]) -> Template:
    try:
        words = tuple(shlex.split(text))
        fields = [piece for word in words for piece in string.Formatter().parse(word)]
    except ValueError as error:
        raise UsageError(
            f"cannot read {option} '{text}': {error}", "write {{ for a brace"
        ) from None
    if not words:
        raise UsageError(f"{option} is empty", 'such as "./kernel --bm {BLOCK_M}"')
    names = set()
    for _, name, form, conversion in fields:
        if name is None:
            continue
        if name not in known or form or conversion:
            raise UsageError(
                f"{{{name}}} in {option} is not a parameter",
                f"the parameters are {', '.join(sorted(known))}",
            )
        names.add(name)
    return Template(words, frozenset(names))
