"""Compiles HIP programs against the libraries of the build folder, once for all workers."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

import pytest

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm.build import MARKER, build_compiler
from rocm_perf_lab.vrocm.toolchain import find_toolchain

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ROCM_PERF_NATIVE_BUILD", str(ROOT / "build")))
LIBRARY = BUILD / "lib" / "libamdhip64.so.7"
PROGRAMS = Path(__file__).parent / "hip"


def _has_toolchain() -> bool:
    try:
        find_toolchain()
    except ToolMissing:
        return False
    return True


needs_hip = [
    pytest.mark.native,
    pytest.mark.skipif(not LIBRARY.exists(), reason="HIP is not built (run `make native`)"),
    pytest.mark.skipif(not _has_toolchain(), reason="no clang for AMD GPUs (run `make setup`)"),
]


def case_names(program: str) -> list[str]:
    """The CASE(name) entries of a test program."""
    return re.findall(r"^CASE\((\w+)\)", (PROGRAMS / f"{program}.hip").read_text(), re.M)


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """One folder for all xdist workers of this run."""
    base = factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "hip-programs"
    folder.mkdir(exist_ok=True)
    return folder


def prefix(folder: Path) -> Path:
    made = folder / "prefix"
    with (folder / "prefix.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (made / MARKER).exists():
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            build_compiler(ROOT, find_toolchain(), made)
            (made / "lib").mkdir(exist_ok=True)
            for library in (BUILD / "lib").glob("*.so*"):
                (made / "lib" / library.name).symlink_to(library)
            (made / MARKER).write_text("gfx942\n")
    return made


def compiled(folder: Path, source: Path, *options: str) -> Path:
    """The program of ``source``, compiled by the first worker that wants it."""
    program = folder / source.stem
    with (folder / f"{source.stem}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            hipcc = prefix(folder) / "bin" / "hipcc"
            beside = folder / f"{source.stem}.new"
            command = [str(hipcc), "-O2", "-std=c++17", *options, str(source), "-o", str(beside)]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            beside.rename(program)
    return program


def code_object(folder: Path) -> Path:
    """module.hip for hipModuleLoad; its workgroups may be partly filled."""
    return compiled(folder, PROGRAMS / "module.hip", "--genco", "-fno-offload-uniform-block")


def trace_records(
    program: Path,
    parent: Path,
    *arguments: object,
    environment: Optional[Mapping[str, str]] = None,
    kind: Optional[str] = "dispatch",
) -> list[dict[str, Any]]:
    """Runs a program that writes a trace into a new folder in `parent`; its records of a kind."""
    folder = Path(tempfile.mkdtemp(dir=parent))
    done = run(
        program,
        *map(str, arguments),
        environment={"VROCM_TRACE": str(folder), **(environment or {})},
    )
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.jsonl")
    records = map(json.loads, file.read_text().splitlines())
    return [record for record in records if kind in (None, record["record"])]


def nanoseconds(record: Mapping[str, Any]) -> int:
    return int(record["end_ns"]) - int(record["start_ns"])


def run(
    program: Path, *arguments: str, environment: Optional[Mapping[str, str]] = None
) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("VROCM_", "HIP_", "ROCR_"))}
    return subprocess.run(
        [str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**clean, **(environment or {})},
    )
