"""Puts the native sources into the package, so that a wheel can build the virtual ROCm."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

NATIVE_PARTS = ("CMakeLists.txt", "native")


class BuildWithNativeSources(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:  # the source tree itself is in use
            return
        root = Path(__file__).parent
        target = Path(self.build_lib) / "rocm_perf_lab" / "_native"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for part in NATIVE_PARTS:
            if (root / part).is_dir():
                shutil.copytree(root / part, target / part)
            else:
                shutil.copyfile(root / part, target / part)


# CMake builds in build/ and puts libraries into build/lib, which is where setuptools would collect
# the package: keep them apart.
setup(
    cmdclass={"build_py": BuildWithNativeSources},
    options={"build": {"build_base": "build/python"}},
)
