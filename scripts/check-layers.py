"""Checks that imports inside the package only point downwards.

The order is the one of docs/ARCHITECTURE.md. A room may import itself and any room below it.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

PACKAGE = "rocm_perf_lab"
LAYERS = (
    "cli",
    "agent",
    "reporters",
    "optimize",
    "tune",
    "replay",
    "analysis",
    "collect",
    "vrocm",
    "trace",
    "codeobject",
    "arch",
    "errors",
)
ROOT = Path(__file__).resolve().parent.parent / "src" / PACKAGE


def imported_rooms(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, room) of every import of our own package, also those inside functions."""
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
                found.append((getattr(node, "lineno", 0), parts[1]))
    return found


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
        for line, target in imported_rooms(ast.parse(path.read_text())):
            if target in rank and rank[target] < rank[room]:
                problems.append(f"{relative}:{line}: {room} must not import {target} above it")
    return problems


if __name__ == "__main__":
    found = violations()
    print("\n".join(found) or "imports point downwards", file=sys.stderr)
    sys.exit(1 if found else 0)
