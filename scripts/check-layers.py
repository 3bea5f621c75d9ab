"""Checks that imports and includes only point downwards, and in no circle.

The order of the Python rooms and of the native ones is the one of docs/ARCHITECTURE.md. A room may
use itself and any room below it. Between the folders of a room there may be any direction, but no
circle. No folder has more than some fifteen files, a .cpp with its .h being one, and none of our
own Python or C++ is longer than 400 lines. With --diagram it prints who includes whom; the
documentation has that.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Optional

PACKAGE = "rocm_perf_lab"
LAYERS = (
    "cli",
    "agent",
    "reporters",
    "report",
    "optimize",
    "tune",
    "history",
    "prove",
    "selftest",
    "measure",
    "replay",
    "analysis",
    "box",
    "supervisor",
    "collect",
    "vrocm",
    "trace",
    "codeobject",
    "arch",
    "redaction",
    "strict_json",
    "errors",
)
MOST_FILES = 15
MOST_LINES = 400
SOURCES = ("src", "tests", "benchmarks", "scripts", "native")
# One file for each of many things that are alike: verbs, their tests, benchmarks, programs to try.
TABLES = ("src/rocm_perf_lab/cli", "tests/cli", "benchmarks", "tests/native/hip")
Place = Callable[[Path], str]
TOP = Path(__file__).resolve().parent.parent
ROOT = TOP / "src" / PACKAGE

# Rooms side by side must not include each other: neither execution nor its model knows the other.
NATIVE_LAYERS = (
    ("vgpu/hip", "vgpu/rtc"),
    ("vgpu/hsa",),
    ("vgpu/device",),
    ("vgpu/exec", "vgpu/model"),
    ("vgpu/observe",),
    ("vgpu/isa", "vgpu/memory"),
    ("capture", "replay"),
    ("vgpu/host", "vgpu/arch", "metadata"),
)
NATIVE_ROOT = TOP / "native"
NATIVE_SUFFIXES = {".h", ".cpp", ".inc", ".S"}
# Tests see everything, device code is no part of it, and the layout of public headers is ROCm's.
NO_ROOMS = ("tests", "devicelib", "include")
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


class Use(NamedTuple):
    """A line of a file, and the file that it imports or includes; paths below the root."""

    path: Path
    line: int
    target: Path


def imported_modules(tree: ast.AST) -> list[tuple[int, tuple[str, ...]]]:
    """(line, names below our package) of every import of it, also those inside functions."""
    found = []
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == PACKAGE and len(parts) > 1:
                found.append((getattr(node, "lineno", 0), tuple(parts[1:])))
    return found


def python_uses(root: Path) -> list[Use]:
    found = []
    for path in sorted(root.rglob("*.py")):
        for line, names in imported_modules(ast.parse(path.read_text())):
            target = _module_file(root, names)
            if target:
                found.append(Use(path.relative_to(root), line, target))
    return found


def _module_file(root: Path, names: tuple[str, ...]) -> Optional[Path]:
    """The file behind a dotted name, whose last part may be something that the file defines."""
    for length in (len(names), len(names) - 1):
        below = Path(*names[:length])
        for candidate in (below.with_suffix(".py"), below / "__init__.py") if length else ():
            if (root / candidate).is_file():
                return candidate
    return None


def violations(root: Path = ROOT) -> list[str]:
    rank = {room: i for i, room in enumerate(LAYERS)}
    problems = []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        room = relative.parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        if room not in rank:
            problems.append(f"{relative}: room '{room}' is not in the list of layers")
            continue
        for line, (target, *_) in imported_modules(ast.parse(path.read_text())):
            if target in rank and rank[target] < rank[room]:
                problems.append(f"{relative}:{line}: {room} must not import {target} above it")
    return problems


def folder_violations(root: Path = ROOT) -> list[str]:
    """Circles of folders."""
    uses = python_uses(root)
    place = _python_place(root)
    return [_told(circle, uses, place, "imports") for circle in circles(graph_of(uses, place))]


def size_violations(top: Path = TOP) -> list[str]:
    """Folders that became drawers, and files that hold more than one idea."""
    files = [path.relative_to(top) for part in SOURCES for path in sorted((top / part).rglob("*"))]
    own = [path for path in files if _is_own(path)]
    ideas: dict[Path, set[str]] = {}
    problems = []
    for path in own:
        if path.name != "__init__.py":
            ideas.setdefault(path.parent, set()).add(path.stem)
        lines = len((top / path).read_text("utf-8").splitlines())
        if lines > MOST_LINES:
            problems.append(f"{path}: {lines} lines; more than {MOST_LINES} are two ideas")
    for folder, names in ideas.items():
        if len(names) > MOST_FILES and folder.as_posix() not in TABLES:
            problems.append(f"{folder}: {len(names)} files; more than {MOST_FILES} want folders")
    return problems


def _is_own(path: Path) -> bool:
    """The layout of public headers is ROCm's; programs that tests compile are data."""
    return path.suffix in {".py", ".cpp", ".h"} and path.parts[:2] != ("native", "include")


def _python_place(root: Path) -> Place:
    """A folder is one place, unless it has folders of its own: its files then stand for themselves,
    because the one that opens all of them is beside the ones that all of them use."""
    divided = {path.relative_to(root).parent.parent for path in root.rglob("*.py")}

    def place(path: Path) -> str:
        if path.name != "__init__.py" and path.parent in divided:
            return path.with_suffix("").as_posix()
        return path.parent.as_posix()

    return place


def native_room(path: Path) -> str:
    return "/".join(path.parts[:2]) if path.parts[0] == "vgpu" else path.parts[0]


def native_files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.suffix in NATIVE_SUFFIXES and relative.parts[0] not in NO_ROOMS:
            yield relative


def native_includes(root: Path) -> list[Use]:
    """Includes of our own files, relative to the file or to the roots that the build names."""
    found = []
    for path in native_files(root):
        for number, text in enumerate((root / path).read_text("utf-8").splitlines(), 1):
            match = INCLUDE.match(text)
            target = match and _included(root, path, match.group(1))
            if target:
                found.append(Use(path, number, target))
    return found


def _included(root: Path, path: Path, name: str) -> Optional[Path]:
    for folder in (path.parent, Path("vgpu"), Path(path.parts[0])):
        candidate = (root / folder / name).resolve()
        if candidate.is_file() and root.resolve() in candidate.parents:
            found = candidate.relative_to(root.resolve())
            return None if found.parts[0] in NO_ROOMS else found
    return None


def native_violations(root: Path = NATIVE_ROOT) -> list[str]:
    rank = {room: i for i, rooms in enumerate(NATIVE_LAYERS) for room in rooms}
    rooms = sorted({native_room(path) for path in native_files(root)})
    problems = [
        f"native/{room}: it is not in the list of native rooms"
        for room in rooms
        if room not in rank
    ]
    includes = native_includes(root)
    for path, line, target in includes:
        room, used = native_room(path), native_room(target)
        if room != used and room in rank and used in rank and rank[used] <= rank[room]:
            where = "above" if rank[used] < rank[room] else "beside"
            problems.append(f"native/{path}:{line}: {room} must not include {used} {where} it")
    return problems + [
        _told(circle, includes, folder_of, "includes")
        for circle in circles(graph_of(includes, folder_of))
    ]


def folder_of(path: Path) -> str:
    return path.parent.as_posix()


def graph_of(uses: list[Use], place: Place) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for path, _, target in uses:
        folder, used = place(path), place(target)
        graph.setdefault(folder, set())
        graph.setdefault(used, set())
        if folder != used:
            graph[folder].add(used)
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """One shortest circle through each folder that is on any, each circle once."""
    found: dict[frozenset[str], list[str]] = {}
    for start in sorted(graph):
        circle = _way(graph, start, start)
        if circle:
            found.setdefault(frozenset(circle), circle)
    return list(found.values())


def _way(graph: Mapping[str, set[str]], start: str, end: str) -> Optional[list[str]]:
    """Folders from `start` on that lead back to `end`, without it; none when there is no way."""
    ways = [[start]]
    seen = set()
    for way in ways:
        for used in sorted(graph[way[-1]]):
            if used == end:
                return way
            if used not in seen:
                seen.add(used)
                ways.append([*way, used])
    return None


def _told(circle: list[str], uses: list[Use], place: Place, verb: str) -> str:
    steps = []
    for folder, used in zip(circle, [*circle[1:], circle[0]]):
        path, line, target = next(
            found for found in uses if (place(found.path), place(found.target)) == (folder, used)
        )
        steps.append(f"{path}:{line} {verb} {target}")
    return "a circle of folders: " + "; ".join(steps)


def diagram(root: Path = NATIVE_ROOT) -> str:
    """Every room of the virtual device from the top down with the rooms that it includes, and below
    it its folders with those folders of the same room that they include."""
    includes = native_includes(root)
    graph = graph_of(includes, folder_of)
    lines = []
    for layer in NATIVE_LAYERS:
        for room in (room for room in layer if room.startswith("vgpu/")):
            used = {native_room(i.target) for i in includes if native_room(i.path) == room} - {room}
            lines.append(_line("", room, room, used))
            folders = {name for name in graph if name.startswith(room + "/")} - {room + "/tables"}
            lines += [_line("  ", room, name, graph[name] & folders) for name in sorted(folders)]
    return "\n".join(lines) + "\n"


def _line(indent: str, room: str, name: str, used: set[str]) -> str:
    below = room if indent else "vgpu"
    label = indent + name[len(below) + 1 :]
    names = ", ".join(sorted(target[len(below) + 1 :] for target in used))
    return f"{label:<16} -> {names}" if names else label


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--diagram", action="store_true", help="print the native rooms and folders")
    if parser.parse_args().diagram:
        print(diagram(), end="")
        return 0
    found = violations() + folder_violations() + native_violations() + size_violations()
    print("\n".join(found) or "imports and includes point downwards", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
