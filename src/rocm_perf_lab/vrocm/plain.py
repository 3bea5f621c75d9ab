"""The virtual device as it is: an MI300X whose times do not vary, whatever the environment says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# They change how fast this machine is, and no time of the virtual device.
_OF_THE_HOST = ("VROCM_THREADS", "VROCM_CPU")


def plain_environment(environment: Mapping[str, str], prefix: Path) -> dict[str, str]:
    """Without what makes it another device, or hides it; other runtimes are not found first."""
    kept = {name: value for name, value in environment.items() if _is_kept(name)}
    return {**kept, "LD_LIBRARY_PATH": str(prefix / "lib")}


def _is_kept(name: str) -> bool:
    if name.startswith("VROCM_"):
        return name in _OF_THE_HOST
    return not name.endswith("_VISIBLE_DEVICES")
