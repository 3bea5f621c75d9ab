"""Finding out what is to be optimised: the forms in which people name it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ApplicationFailed, UsageError
from rocm_perf_lab.optimize.project.debug_source import source_of_program
from rocm_perf_lab.optimize.project.dependencies import dependencies
from rocm_perf_lab.optimize.project.flags import absolute_flags, database_flags
from rocm_perf_lab.optimize.project.own_build import check_build, told_to_compiler
from rocm_perf_lab.optimize.request import OptimizeRequest

DEFAULT_FLAGS = ("-O3",)
DEFAULT = "default"  # nobody said which flags
OWN_BUILD = "--build"  # a compiler in it says which
LINE_TABLES = "-gline-tables-only"
_MOST_FILES, _MOST_BYTES = 20_000, 512 << 20  # of a tree that is copied for the user's own build
_LEFT_OUT = frozenset({".git", ".hg", ".svn", "__pycache__"})


@dataclass(frozen=True)
class Project:
    """All paths are absolute. ``files`` are the user's files that a build reads."""

    sources: tuple[Path, ...]
    argv: tuple[str, ...]
    folder: Path  # where the user starts program and build
    build: Optional[tuple[str, ...]]
    flags: tuple[str, ...]
    flags_from: str  # for people
    files: frozenset[Path]

    def below(self, path: str) -> str:
        """A file's path below the folder that all of them share; its name when it is elsewhere."""
        top = os.path.commonpath([str(file.parent) for file in self.files])
        relative = os.path.relpath(path, top)
        return os.path.basename(path) if relative.startswith("..") else relative

    @property
    def program_name(self) -> str:
        return os.path.basename(self.argv[0])


def open_project(request: OptimizeRequest, prefix: Prefix) -> Project:
    folder = Path.cwd()
    named = request.sources or (_from_program(prefix, request.argv),)
    sources = tuple(Path(os.path.abspath(source)) for source in named)
    for source in sources:
        if not source.is_file():
            raise UsageError(f"the source {source} is not there", "name the file with the kernels")
    flags, origin = _flags(request, sources[0], folder)
    if request.hot_lines and request.build is None:
        flags = (*flags, LINE_TABLES)
    if request.build is not None:
        check_build(request.build)
        told = told_to_compiler(request.build, folder)
        if told is not None and request.flags is None:
            flags, origin = told.flags, OWN_BUILD
        units = {*sources, *(told.units if told is not None else ())}
        files = frozenset(_tree_files(folder, sources)) | _read_elsewhere(prefix, units, flags)
    else:
        files = frozenset().union(*(dependencies(prefix, s, flags) for s in sources))
    return Project(sources, request.argv, folder, request.build, flags, origin, files)


def _from_program(prefix: Prefix, argv: tuple[str, ...]) -> Path:
    program = Path(argv[0])
    if not program.is_file():
        raise UsageError(
            f"{program} is not there, and no source was named", "rocm-perf optimize SOURCE -- APP"
        )
    return source_of_program(prefix, program)


def _flags(request: OptimizeRequest, source: Path, folder: Path) -> tuple[tuple[str, ...], str]:
    if request.flags is not None:
        return absolute_flags(request.flags, folder), "--flags"
    known = database_flags(source, folder)
    if known is not None:
        return known, "compile_commands.json"
    return DEFAULT_FLAGS, DEFAULT


def _read_elsewhere(prefix: Prefix, units: Iterable[Path], flags: Sequence[str]) -> set[Path]:
    """What the sources include from other folders, as far as the flags are known: a source that
    does not compile with them may do so in the user's own build, which will tell."""
    found: set[Path] = set()
    for unit in units:
        with contextlib.suppress(ApplicationFailed):
            found |= dependencies(prefix, unit, flags)
    return found


def _tree_files(folder: Path, sources: Iterable[Path]) -> Iterable[Path]:
    """A build of the user's own may read anything below where it starts."""
    outside = [source for source in sources if folder not in source.parents]
    found, size = list(outside), 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(names):
            path = Path(place, name)
            found.append(path)
            size += path.lstat().st_size
        if len(found) > _MOST_FILES or size > _MOST_BYTES:
            raise UsageError(
                f"{folder} is too large to be copied for --build",
                "start in the folder of the project itself",
            )
    return found
