"""Runs the profiler of the virtual ROCm on the stand-in of a HIP program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import pytest

from rocm_perf_lab.vrocm.build import MARKER, build_compiler
from rocm_perf_lab.vrocm.toolchain import find_toolchain

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ROCM_PERF_NATIVE_BUILD", str(ROOT / "build")))
APPLICATION = Path(__file__).with_name("virtual_application.py")
HIP_LIBRARY = BUILD / "lib" / "libamdhip64.so"
NEEDS_HIP = [
    pytest.mark.native,
    pytest.mark.skipif(
        not HIP_LIBRARY.exists(), reason="the HIP runtime is not built (run `make native`)"
    ),
]
PROFILER = (sys.executable, "-I", "-m", "rocm_perf_lab.vrocm.rocprofv3")


@dataclass(frozen=True)
class Bench:
    """A folder to work in: the plan of the application, and where recordings go."""

    folder: Path

    def plan(self, **plan: Any) -> None:
        (self.folder / "plan.json").write_text(json.dumps(plan))

    @property
    def application(self) -> list[str]:
        return [sys.executable, "-S", str(APPLICATION), str(self.folder)]

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def command(self, *options: str, words: tuple[str, ...] = ()) -> list[str]:
        return [*PROFILER, "-d", str(self.out), *options, "--", *self.application, *words]

    def environment(self, **changes: str) -> dict[str, str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ROCPROF", "VROCM"))}
        return {**clean, "ROCPROF_TMPDIR": str(self.temporary), **changes}

    @property
    def temporary(self) -> Path:
        path = self.folder / "temporary"
        path.mkdir(exist_ok=True)
        return path

    def run(
        self,
        *options: str,
        words: tuple[str, ...] = (),
        stdin: Optional[str] = None,
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run, and check that nothing is left behind whatever happened."""
        result = subprocess.run(
            self.command(*options, words=words),
            capture_output=True,
            text=True,
            input=stdin,
            env=self.environment(**variables),
            cwd=self.folder,
            timeout=60,
        )
        assert "Traceback" not in result.stderr
        assert list(self.temporary.iterdir()) == []
        return result

    def files(self) -> list[str]:
        return sorted(str(p.relative_to(self.out)) for p in self.out.rglob("*") if p.is_file())

    def seen(self) -> list[dict[str, Any]]:
        """What the application saw, for each time it was started."""
        return [json.loads(file.read_text()) for file in sorted(self.folder.glob("seen-*.json"))]


def make_prefix(to: Path) -> Path:
    """A prefix around the libraries of the build folder."""
    build_compiler(ROOT, find_toolchain(), to)
    (to / "lib").mkdir(exist_ok=True)
    for library in (BUILD / "lib").glob("*.so*"):
        (to / "lib" / library.name).symlink_to(library)
    (to / MARKER).write_text("gfx942\n")
    return to


def compiled(prefix: Path, source: Path, folder: Path, *options: str) -> Path:
    program = folder / source.stem
    hipcc = str(prefix / "bin" / "hipcc")
    subprocess.run([hipcc, "-O2", *options, str(source), "-o", str(program)], check=True)
    return program


def make_bench(folder: Path, **plan: Any) -> Bench:
    bench = Bench(folder)
    bench.plan(**plan)
    return bench
