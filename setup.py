"""What a wheel holds beside the package: native sources, examples, and in a binary wheel what was
built from them.

`make wheel` names the folder of that build in ROCM_PERF_LAB_BUILT; without it the wheel holds
sources only, and the virtual ROCm is compiled on first use.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from pathlib import Path
from typing import Optional

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
NATIVE_PARTS = ("CMakeLists.txt", "native")
LIBRARIES = [
    "amdhip64",
    "hiprtc",
    "hsa-runtime64",
    "roctx64",
    "rocprofiler-sdk-roctx",
    "rocm-perf-capture",
]
PROGRAMS = ("rocm-perf-replayer",)
GLIBC = re.compile(rb"GLIBC_2\.(\d+)")


def build_folder() -> Optional[Path]:
    named = os.environ.get("ROCM_PERF_LAB_BUILT")
    return Path(named).resolve() if named else None


def built_files(build: Path) -> list[Path]:
    """Files without the links to them, which wheels cannot hold; the prefix makes those again."""
    files = [build / "bin" / name for name in PROGRAMS]
    for name in LIBRARIES:
        found = [path for path in (build / "lib").glob(f"lib{name}.so*") if not path.is_symlink()]
        if not found:
            raise SystemExit(f"there is no lib{name}.so in {build / 'lib'}: make native")
        files += found
    return files


class BuildWithNativeParts(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:  # the source tree itself is in use
            return
        package = Path(self.build_lib) / "rocm_perf_lab"
        for part in NATIVE_PARTS:
            copy(ROOT / part, package / "_native" / part)
        copy(ROOT / "examples", package / "_examples")
        shutil.rmtree(package / "_built", ignore_errors=True)
        build = build_folder()
        for file in built_files(build) if build else []:
            copy(file, package / "_built" / file.parent.name / file.name)


class TaggedWheel(bdist_wheel):
    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = build_folder() is None

    def get_tag(self) -> tuple[str, str, str]:
        """No part of it is loaded by Python: any version does, on the C library that it needs."""
        build = build_folder()
        if build is None:
            return super().get_tag()
        needed = {
            int(minor) for file in built_files(build) for minor in GLIBC.findall(file.read_bytes())
        }
        return "py3", "none", f"manylinux_2_{max(needed)}_{platform.machine()}"


def copy(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


# CMake builds in build/ and puts libraries into build/lib, which is where setuptools would collect
# the package: keep them apart.
setup(
    cmdclass={"build_py": BuildWithNativeParts, "bdist_wheel": TaggedWheel},
    options={"build": {"build_base": "build/python"}},
)
