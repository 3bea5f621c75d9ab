"""Compiler flags: those of a compilation database, made independent of where they are used."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

from rocm_perf_lab.errors import UsageError

DATABASE = "compile_commands.json"
# Flags whose value is a path, written behind them or as the next word.
_PATHS = ("-I", "-isystem", "-iquote", "-idirafter", "-include", "-L")
UNITS = (".hip", ".cpp", ".cu", ".cc", ".cxx", ".c++", ".c")
_DROPPED = ("-c", "-S", "-E", "-M", "-MD", "-MMD", "-MP")
_DROPPED_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")


def absolute_flags(flags: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Relative paths in them are relative to ``folder``."""
    return tuple(_mapped(flags, lambda value: os.path.normpath(os.path.join(folder, value))))


def flags_in_tree(flags: Sequence[str], tree: Path) -> tuple[str, ...]:
    """Paths of ``absolute_flags`` that the copy has lead into it; the others stay."""

    def moved(value: str) -> str:
        copy = f"{tree}{value}"
        return copy if os.path.exists(copy) else value

    return tuple(_mapped(flags, moved))


def _mapped(flags: Sequence[str], change: Callable[[str], str]) -> Iterator[str]:
    words = iter(flags)
    for word in words:
        flag = next((name for name in _PATHS if word.startswith(name)), None)
        if flag is None:
            yield word
        elif word == flag:
            yield word
            value = next(words, None)
            if value is not None:
                yield change(value)
        else:
            yield flag + change(word[len(flag) :])


def database_flags(source: Path, folder: Path) -> Optional[tuple[str, ...]]:
    """From the nearest ``compile_commands.json`` that knows the source; None without one."""
    for file in _databases(source, folder):
        for entry in _entries(file):
            directory = Path(entry.get("directory", file.parent))
            if os.path.realpath(directory / str(entry.get("file", ""))) == os.path.realpath(source):
                return absolute_flags(_flags_of(entry, file, source), directory)
    return None


def _databases(source: Path, folder: Path) -> Iterator[Path]:
    seen = set()
    for place in (*source.parents, folder):
        for file in (place / DATABASE, place / "build" / DATABASE):
            if file not in seen and file.is_file():
                seen.add(file)
                yield file


def _entries(file: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read: {error}", "name the build: --build") from error
    if not isinstance(found, list):
        raise UsageError(f"{file} is not a list of commands", "name the build: --build")
    return [entry for entry in found if isinstance(entry, dict)]


def _flags_of(entry: dict[str, Any], file: Path, source: Path) -> list[str]:
    words = entry.get("arguments") or shlex.split(str(entry.get("command", "")))
    if not words:
        raise UsageError(f"{file} has no command for {source}", "name the build: --build")
    kept = reading_flags([str(word) for word in words[1:]])
    return [word for word in kept if os.path.basename(word) != source.name]


def reading_flags(words: Sequence[str]) -> Iterator[str]:
    """Those that matter to a reader of the source: nothing of what is made, and where."""
    rest = iter(words)
    for word in rest:
        if word in _DROPPED_WITH_VALUE or word == "-x":
            next(rest, None)
        elif word not in _DROPPED:
            yield word
