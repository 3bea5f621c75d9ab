"""tinygrad's emulator of AMD GPUs, as a process that does one thing at a time when it is asked.

It needs a checkout (https://github.com/tinygrad/tinygrad), clang, and an LLVM library of version 18
or later, which it finds itself (or LLVM_PATH names).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Optional

PROGRAM = Path(__file__).with_name("tinygrad_program.py")
LEAST_LLVM = 18


def clang_folder() -> Optional[str]:
    for version in range(22, LEAST_LLVM - 1, -1):
        folder = Path(f"/usr/lib/llvm-{version}/bin")
        if shutil.which("clang", path=str(folder)):
            return str(folder)
    return None


def environment(cache: Path) -> dict[str, str]:
    variables = {**os.environ, "DEV": "MOCKKFD+AMD:LLVM:gfx950", "XDG_CACHE_HOME": str(cache)}
    if not shutil.which("clang") and (folder := clang_folder()):
        variables["PATH"] = folder + os.pathsep + variables.get("PATH", "")
    return variables


class Tinygrad:
    """Processor seconds of the emulator for ``add`` and ``product``; the first time compiles."""

    def __init__(self, checkout: Path, cache: Path) -> None:
        variables = environment(cache)
        variables["PYTHONPATH"] = str(checkout.resolve())
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM)],
            cwd=checkout,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds_of(self, what: str, size: int) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(what, size, file=self._process.stdin, flush=True)
        for line in self._process.stdout:
            if line.startswith("seconds "):
                return float(line.split()[1])
        raise SystemExit("tinygrad ended before its answer; its messages are above")

    def __enter__(self) -> Tinygrad:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
