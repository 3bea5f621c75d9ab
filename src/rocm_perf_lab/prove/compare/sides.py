"""What BASE and HEAD are: two commands to measure, two recordings, or two profiles."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.collect.rocprof.application import split_command
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.measure.meter import Command
from rocm_perf_lab.prove.compare.profile_file import read_profile_file

_FILES = (".json", ".db", ".csv")
_HOW = 'rocm-perf compare "./old 100" "./new 100", or two profiles, or two folders of recordings'


@dataclass(frozen=True)
class CommandSide:
    text: str
    command: Command
    version: str = ""  # where both sides are the same command


@dataclass(frozen=True)
class RecordingSide:
    text: str
    path: Path


@dataclass(frozen=True)
class ProfileSide:
    text: str
    document: ProfileDocument


Side = Union[CommandSide, RecordingSide, ProfileSide]
_KIND = {CommandSide: "a command", RecordingSide: "a recording", ProfileSide: "a profile"}


def side_of(text: str) -> Side:
    """A file or folder that is there and no program is read; everything else is a command. Some
    file systems call every file a program: a recording or profile is known by its ending."""
    if not text.strip():
        raise UsageError("an empty word is nothing to compare", _HOW)
    path = Path(text)
    if path.is_file() and (path.suffix in _FILES or not os.access(path, os.X_OK)):
        return _file(text, path)
    if path.is_dir():
        return RecordingSide(text, path)
    if path.is_file():
        return CommandSide(text, Command((text,)))
    words = split_command(text)
    if len(words) == 1 and path.suffix in _FILES:
        raise UsageError(f"there is no file {text}", _HOW)
    return CommandSide(text, Command(tuple(words)))


def same_kind(base: Side, head: Side) -> None:
    if type(base) is not type(head):
        raise UsageError(
            f"BASE is {_KIND[type(base)]} and HEAD {_KIND[type(head)]}: give two of a kind",
            "a program that is not executable counts as a recording: chmod +x",
        )


def _file(text: str, path: Path) -> Side:
    if path.suffix == ".json" and _says_version(path):
        return ProfileSide(text, read_profile_file(path))
    return RecordingSide(text, path)


def _says_version(path: Path) -> bool:
    """Our documents do; a recording of rocprofv3 in JSON does not."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and "schema_version" in document
