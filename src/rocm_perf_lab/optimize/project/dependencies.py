"""Which files of the user a source is made of, as the compiler says."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ask_program
from rocm_perf_lab.errors import ApplicationFailed

_COMPILE_SECONDS = 300.0
_SIDES = ("--cuda-host-only", "--cuda-device-only")


def dependencies(prefix: Prefix, source: Path, flags: Sequence[str]) -> frozenset[Path]:
    """Of both sides, host and device; headers of the system are left out."""
    found: set[Path] = {source}
    for side in _SIDES:
        command = [str(prefix.tool("hipcc")), side, "-MM", *flags, str(source)]
        result = ask_program(command, timeout_s=_COMPILE_SECONDS)
        if not result.ok:
            raise ApplicationFailed(
                f"{source} does not compile ({result.ending})",
                f"see: {shlex.join(command)}; other flags: --flags or --build",
                stderr_tail=result.stderr_tail,
            )
        found |= {Path(os.path.abspath(name)) for name in _names(result.answer)}
    return frozenset(found)


def _names(rule: str) -> list[str]:
    """The prerequisites of a rule of make; spaces in names are escaped."""
    _, _, behind = rule.replace("\\\n", " ").partition(": ")
    words = re.findall(r"(?:\\.|[^\s\\])+", behind)
    return [re.sub(r"\\(.)", r"\1", word).replace("$$", "$") for word in words]
