"""Which version of the user's code a profile is of, as git says it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Optional

_PATIENCE_S = 20.0


def checked_out(folder: Path) -> tuple[Optional[str], bool]:
    """The commit, and whether tracked files were changed since; nothing outside of a checkout."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None, False
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return commit, bool(changed)


def _git(folder: Path, *words: str) -> Optional[str]:
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
