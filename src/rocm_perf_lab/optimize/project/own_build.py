"""What a ``--build`` that is a call of a compiler says: how its sources are read, and which."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.optimize.project.flags import UNITS, absolute_flags, reading_flags

_COMPILER = re.compile(r"hipcc(\.\w+)?|(amd)?clang(\+\+)?(-\d+)?")
_LINKED = (".o", ".a", ".so")
_FOR_THE_LINKER = ("-l", "-L", "-Wl,")


@dataclass(frozen=True)
class Told:
    """``flags`` are absolute and without those of the linker; ``units`` come besides {source}."""

    flags: tuple[str, ...]
    units: tuple[Path, ...]


def check_build(words: Sequence[str]) -> None:
    text = " ".join(words)
    for needed in ("{source}", "{output}"):
        if needed not in text:
            raise UsageError(
                f"--build has no {needed}", 'such as --build "hipcc -O3 {source} -o {output}"'
            )


def told_to_compiler(words: Sequence[str], folder: Path) -> Optional[Told]:
    """None for any other command, such as make: what that does nobody knows."""
    if not _COMPILER.fullmatch(os.path.basename(words[0])):
        return None
    flags: list[str] = []
    units: list[Path] = []
    for word in reading_flags(words[1:]):
        if word.startswith("-"):
            if not word.startswith(_FOR_THE_LINKER):
                flags.append(word)
        elif word.endswith(UNITS):
            units.append(Path(os.path.abspath(folder / word)))
        elif "{" not in word and not word.endswith(_LINKED):
            flags.append(word)  # the value of the flag before it
    return Told(absolute_flags(flags, folder), tuple(units))
