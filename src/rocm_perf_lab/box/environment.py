"""The environment of a candidate: the same for every version, and nothing of the user's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Optional

_DEVICE = ("VROCM_", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


def boxed_environment(
    prefix: Path, folder: Path, given: Optional[Mapping[str, str]] = None
) -> dict[str, str]:
    """``given`` is what the caller wants all versions to see, such as VROCM_CHECK; our own names
    win, so that no version gets other paths than the rest."""
    own = {
        "PATH": ":".join((str(prefix / "bin"), *_SYSTEM_PATH)),
        "LD_LIBRARY_PATH": str(prefix / "lib"),
        "ROCM_PATH": str(prefix),
        "HIP_PATH": str(prefix),
        "HOME": str(folder),
        "TMPDIR": str(folder / "tmp"),
        "XDG_CACHE_HOME": str(folder / "tmp"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
    return {**(given or {}), **own}


def device_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """What steers the device, and nothing else of the user's."""
    return {name: value for name, value in environment.items() if name.startswith(_DEVICE)}
