"""Puts the native sources into the package: an installed wheel builds the virtual ROCm from them."""

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


setup(cmdclass={"build_py": BuildWithNativeSources})
