"""What the Makefile of a program says: how it is compiled, and how it is run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

_SOURCES = (".cu", ".cpp", ".cc", ".c", ".hip")
_HARMLESS_LIBRARIES = frozenset({"-lm", "-lpthread"})
_REPEATS = re.compile(r"<[^<>]*(repeat|iteration|iters|times)[^<>]*>", re.IGNORECASE)
_LEAST = 32  # integers up to this are no sizes


@dataclass(frozen=True)
class Recipe:
    """Of a program that is compiled by hipcc alone, each file with the same flags."""

    folder: Path
    flags: tuple[str, ...]
    sources: tuple[str, ...]
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.folder.name

    def kernel_sources(self) -> list[str]:
        """Files with kernels first; where headers have them, the file with main."""
        texts = {source: _text(self.folder / source) for source in self.sources}
        own = [source for source in self.sources if "__global__" in texts[source]]
        return own or [s for s in self.sources if " main(" in texts[s]] or list(self.sources[:1])

    def build(self) -> str:
        """A command for ``--build``: one call of the compiler with the Makefile's flags."""
        first = self.kernel_sources()[0]
        rest = [source for source in self.sources if source != first]
        return f"{shlex.join(['hipcc', *self.flags])} {{source}} {shlex.join(rest)} -o {{output}}"

    def reduced(self, level: int) -> tuple[str, ...]:
        """Repeat counts 1, sizes divided by 8 ``level`` times."""
        words = list(self.arguments)
        if words and words[-1].isdigit() and self._counts_repeats():
            words[-1] = "1"
        return tuple(_smaller(word, 8**level) for word in words)

    def _counts_repeats(self) -> bool:
        return any(_REPEATS.search(_text(self.folder / source)) for source in self.sources)


def recipe(folder: Path) -> Optional[Recipe]:
    """None where it is no such program."""
    compiled = [line for line in _dry_run(folder, "-B") if line]
    flags: list[tuple[str, ...]] = []
    sources: list[str] = []
    for words in compiled:
        found = _compiled(words)
        if found is None:
            return None
        one, named = found
        sources += named
        if named:
            flags.append(one)
        elif any(w.startswith("-l") and w not in _HARMLESS_LIBRARIES for w in words):
            return None
    runs = [line for line in _dry_run(folder, "run") if line[0].startswith("./")]
    if not sources or len(set(flags)) != 1 or len(runs) != 1:
        return None
    return Recipe(folder, flags[0], tuple(sources), tuple(runs[0][1:]))


def _dry_run(folder: Path, *words: str) -> list[list[str]]:
    done = subprocess.run(
        ["make", "-n", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return []
    lines = done.stdout.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.strip()]


def _compiled(words: Sequence[str]) -> Optional[tuple[tuple[str, ...], list[str]]]:
    """Flags and sources of one call of hipcc; None of any other command."""
    if os.path.basename(words[0]) != "hipcc":
        return None
    kept, sources, rest = [], [], iter(words[1:])
    for word in rest:
        if word == "-o":
            next(rest, None)
        elif word.endswith(_SOURCES) and not word.startswith("-"):
            sources.append(word)
        elif word != "-c" and not word.endswith((".o", ".a")) and not word.startswith("-l"):
            kept.append(word)
    return tuple(kept), sources


def _smaller(word: str, divisor: int) -> str:
    if not word.isdigit() or int(word) <= _LEAST:
        return word
    return str(max(_LEAST, int(word) // divisor))


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""
