"""Known errors in a log, and how to fix them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.vrocm.missing import missing_in


@dataclass(frozen=True)
class Trouble:
    words: re.Pattern[str]
    cause: str
    next_step: str


_MISSING = Trouble(
    re.compile(
        r"error while loading shared libraries|OSError: \S+: cannot open shared object file"
    ),
    "a shared library is missing",
    "add the directory of the library to LD_LIBRARY_PATH",
)
_TROUBLES = (
    Trouble(
        re.compile(r"/dev/(kfd|dri).*permission denied|permission.*/dev/(kfd|dri)", re.I),
        "this user has no permission for the GPU device files",
        "join the groups render and video, then log in again; check with: rocm-perf doctor",
    ),
    Trouble(
        re.compile(r"no ROCm-capable device|hipErrorNoDevice|unable to open /dev/kfd", re.I),
        "it found no GPU",
        "rocm-perf doctor",
    ),
    Trouble(
        re.compile(
            r"hipErrorNoBinaryForGpu|no kernel image is available|invalid device function", re.I
        ),
        "its kernels were not built for this GPU",
        "build it for the GPU that rocm-perf doctor names: hipcc --offload-arch=TARGET",
    ),
    _MISSING,
    Trouble(
        re.compile(r"rocprof\S*' from LD_PRELOAD cannot be preloaded"),
        "the profiler's library could not be loaded into it",
        "use a ROCm installation that is complete and has no space in its path: --rocm PREFIX",
    ),
    Trouble(
        re.compile(r"not primary tool", re.I),
        "another profiler is active in it",
        "switch off the application's own profiler (for example PyTorch's) and run again",
    ),
)


def known_trouble(log: str) -> Optional[Trouble]:
    """The first trouble whose words are in ``log``."""
    found = next((trouble for trouble in _TROUBLES if trouble.words.search(log)), None)
    return _with_its_name(found, log) if found is _MISSING else found


def _with_its_name(trouble: Trouble, log: str) -> Trouble:
    library = next(missing_in(log), None)
    if library is None:
        return trouble
    cause = f"{library.title} is missing"
    return Trouble(trouble.words, cause, f"{trouble.next_step}, or: {library.where_from()}")
