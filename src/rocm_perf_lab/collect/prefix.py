"""Finding the ROCm installation to work with, and the programs inside it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm.prefix import existing_prefix, is_prefix
from rocm_perf_lab.vrocm.whole import check_whole

PROFILER = "rocprofv3"
ENVIRONMENT_VARIABLES = ("ROCM_PATH", "ROCM_HOME", "HIP_PATH")
GPU_DRIVER = Path("/dev/kfd")
LIBRARY_PATH = "LD_LIBRARY_PATH"
INSTALL_ROOT = Path("/opt")  # AMD's packages install to /opt/rocm or /opt/rocm-<version>

_DOCTOR = "rocm-perf doctor"


@dataclass(frozen=True)
class Prefix:
    """A ROCm installation. ``kind`` is provenance to report, never a reason to act differently."""

    path: Path
    kind: str  # "rocm" or "virtual"
    found_by: str  # for people: "--rocm", "$ROCM_PATH", "PATH", ...

    def tool(self, name: str) -> Path:
        """The program ``bin/<name>``. Raises ``ToolMissing`` when it cannot be started."""
        path = self.path / "bin" / name
        if not path.is_file():
            raise ToolMissing(f"{name} is not in the ROCm prefix {self.path}", _DOCTOR)
        if not os.access(path, os.X_OK):
            raise ToolMissing(f"{path} is not executable", f"chmod +x {path}")
        return path

    def library_path(self, environment: Mapping[str, str]) -> str:
        """The caller's ``LD_LIBRARY_PATH``, then this prefix's folder, as rocprofv3 sets it:
        Python packages load the runtime by its name."""
        paths = (environment.get(LIBRARY_PATH, ""), str(self.path / "lib"))
        return ":".join(filter(None, paths))


def find_prefix(explicit: Optional[Path] = None) -> Prefix:
    """The prefix named by ``--rocm``, else the first one found that has a profiler."""
    if explicit is not None:
        return _explicit_prefix(explicit)
    searched = []
    for path, found_by in _candidates():
        check_whole(path)
        if _has_profiler(path):
            return _prefix(path, found_by)
        searched.append(f"{path} ({found_by})")
    looked = ", ".join(searched) if searched else "the environment, PATH and /opt"
    raise ToolMissing(
        f"no ROCm installation with bin/{PROFILER} was found; looked in {looked}",
        "name one with --rocm PREFIX, or build the virtual one: rocm-perf vrocm path; "
        f"what is missing: {_DOCTOR}",
    )


def _explicit_prefix(explicit: Path) -> Prefix:
    path = Path(os.path.abspath(explicit.expanduser()))
    check_whole(path)
    if not _has_profiler(path):
        raise ToolMissing(
            f"{path} is not a ROCm prefix with a profiler: bin/{PROFILER} is not in it",
            "give --rocm the directory that holds bin/ and lib/, for example --rocm /opt/rocm",
        )
    return _prefix(path, "--rocm")


def _candidates() -> Iterator[tuple[Path, str]]:
    for variable in ENVIRONMENT_VARIABLES:
        value = os.environ.get(variable)
        if value:
            yield Path(os.path.abspath(value)), f"${variable}"
    on_path = shutil.which(PROFILER)
    if on_path is not None:
        yield Path(os.path.realpath(on_path)).parent.parent, "PATH"
    found = [(INSTALL_ROOT / "rocm", "default")]
    for versioned in sorted(INSTALL_ROOT.glob("rocm-*"), key=_version_key, reverse=True):
        found.append((versioned, "default"))
    virtual = existing_prefix()
    if virtual is not None:
        # An installed ROCm that nobody chose is of no use on a machine without its driver.
        found.insert(len(found) if GPU_DRIVER.exists() else 0, (virtual, "virtual ROCm"))
    yield from found


def _version_key(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path.name))


def _has_profiler(path: Path) -> bool:
    return (path / "bin" / PROFILER).is_file()


def _prefix(path: Path, found_by: str) -> Prefix:
    return Prefix(path=path, kind="virtual" if is_prefix(path) else "rocm", found_by=found_by)
