"""Copies the skill, a folder of Markdown files, to where an agent looks for skills."""

from __future__ import annotations

import shutil
from pathlib import Path

from rocm_perf_lab.errors import UsageError

SKILL = Path(__file__).resolve().parent / "skill"
NAME = "rocm-perf"


def install_skill(folder: Path) -> Path:
    """``folder``/rocm-perf; an older version of it is replaced, nothing else is touched."""
    place = folder / NAME
    if place.exists():
        if not _is_ours(place):
            raise UsageError(
                f"{place} is there, and it is not this skill", "name another DIR, or remove it"
            )
        shutil.rmtree(place)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(SKILL, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def _is_ours(place: Path) -> bool:
    """Nothing but files that the skill has as well."""
    known = {path.relative_to(SKILL) for path in SKILL.rglob("*")}
    found = {path.relative_to(place) for path in place.rglob("*")}
    return place.is_dir() and not place.is_symlink() and Path("SKILL.md") in found <= known
