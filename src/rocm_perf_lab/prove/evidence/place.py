"""Where evidence is kept when nobody names a folder."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import UsageError

_STATE = "XDG_STATE_HOME"


def evidence_folder(asked: Optional[Path], source: Path) -> Path:
    """A new folder: the one that was asked for, or one outside of the user's tree."""
    if asked is not None:
        if asked.exists() and any(asked.iterdir()):
            raise UsageError(f"{asked} is not empty", "name a new folder with --evidence")
        return Path(os.path.abspath(asked))
    state = os.environ.get(_STATE) or os.path.expanduser("~/.local/state")
    name = f"{source.stem}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    return Path(state) / "rocm-perf-lab" / "evidence" / name
