"""A ROCm prefix for tests: programs that behave, or misbehave, as a test tells them to."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parent

VERSION_REPORT = """\
         version: 1.0.0
    git_revision: 0123456789abcdef
     system_name: Linux
    rocm_version: 7.0.2"""

BEHAVIOUR: dict[str, Any] = {
    "version_report": VERSION_REPORT,
    "rocpd": True,  # False: a rocprofv3 older than ROCm 7.0
    "durations_ns": [100_000],  # of every dispatch; one entry per run, then again from the start
    "product": "AMD Instinct MI300X",  # of the GPU, in databases
    "kernel": "",  # the plain name of its kernel, instead of vector_add's
    "dispatches": 3,  # per run; 0: the application launches nothing, so no file is written
    "processes": 1,  # databases per run
    "noise": False,
    "log": "",  # written to stderr after the application
    "script_fatal": "",  # stops before the application starts
    "library_fatal": "",  # aborts after the application ended
    "semicolon_bug": False,
    "partial_db": False,
    "missing_counters": [],
    "thread_traces": None,  # None: no option --att; else decoder folders of each attempt
    "att_log": "",  # written to stderr by a run with --att
    "att_fatal": False,  # such a run ends before the application starts
}


@dataclass(frozen=True)
class FakeRocm:
    path: Path

    @property
    def profiler(self) -> Path:
        return self.path / "bin" / "rocprofv3"

    def behave(self, **changes: Any) -> None:
        """Change how the programs act from now on; unknown words are mistakes of the test."""
        unknown = changes.keys() - BEHAVIOUR.keys()
        if unknown:
            raise KeyError(f"the fake prefix cannot do {sorted(unknown)}")
        (self.path / "behaviour.json").write_text(json.dumps({**BEHAVIOUR, **changes}))

    def add_gpu(self) -> None:
        """Give the prefix an HSA runtime that sees one GPU. Needs a C compiler."""
        compiler = shutil.which("cc") or shutil.which("clang-19")
        if compiler is None:
            pytest.skip("the fake HSA runtime needs a C compiler")
        library = self.path / "lib" / "libhsa-runtime64.so.1"
        command = [compiler, "-shared", "-fPIC", "-o", str(library), str(_HERE / "fake_hsa.c")]
        subprocess.run(command, check=True)

    def calls(self) -> list[dict[str, Any]]:
        """How rocprofv3 was called to record: argv, cwd and environment of each call."""
        log = self.path / "calls.jsonl"
        if not log.exists():
            return []
        return [json.loads(line) for line in log.read_text().splitlines()]


def build_fake_rocm(path: Path) -> FakeRocm:
    for name in ("bin", "lib", ".info"):
        (path / name).mkdir(parents=True)
    (path / ".info" / "version").write_text("7.0.2-56\n")
    (path / "lib" / "libamdhip64.so").touch()
    (path / "lib" / "libhsa-runtime64.so.1").touch()
    # -S: site-packages are not needed, and a test starts this program often
    write_program(
        path / "bin" / "rocprofv3",
        f"#!{sys.executable} -S\n" + (_HERE / "fake_rocprofv3.py").read_text(),
    )
    write_program(path / "bin" / "hipcc", '#!/bin/sh\necho "HIP version: 7.0.51831"\n')
    fake = FakeRocm(path)
    fake.behave()
    return fake


def write_program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path
