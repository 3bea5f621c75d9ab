"""The compiler and the device libraries of the distribution, which the virtual ROCm builds on."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import ToolMissing

# The reference first, then what also speaks HIP for gfx942 with buffered printf (clang 17 and up).
CLANG_VERSIONS = (19, 20, 18, 17)
LLVM_ROOTS = ("/usr/lib/llvm-{version}", "/usr/local/llvm-{version}", "/opt/llvm-{version}")
LLVM_TOOLS = (
    "clang++",
    "clang-offload-bundler",
    "ld.lld",
    "llvm-as",
    "llvm-dis",
    "llvm-link",
)
BITCODE_FOLDERS = ("/usr/lib/*/amdgcn/bitcode", "/usr/lib/amdgcn/bitcode")
PACKAGE_OF = {
    "clang++": "clang-{version}",
    "clang-offload-bundler": "clang-tools-{version}",
    "ld.lld": "lld-{version}",
    "llvm-as": "llvm-{version}",
    "llvm-dis": "llvm-{version}",
    "llvm-link": "llvm-{version}",
}


@dataclass(frozen=True)
class Toolchain:
    """One clang with its LLVM tools beside it, CMake, and the folder of the device libraries."""

    version: int
    llvm: Path
    cmake: Optional[Path]  # only where libraries are compiled
    bitcode: Path

    def tool(self, name: str) -> Path:
        return self.llvm / "bin" / name

    def identity(self) -> str:
        """Changes whenever another compiler or another device library is installed."""
        parts = []
        for path in (self.tool("clang++").resolve(), self.bitcode / "ocml.bc"):
            status = path.stat()
            parts.append(f"{path}:{status.st_size}:{status.st_mtime_ns}")
        return ";".join(parts)


def find_toolchain(compiles_libraries: bool = True) -> Toolchain:
    """The first complete toolchain, or ToolMissing with the one command that installs it."""
    found = _newest_llvm()
    version, llvm = found if found else (CLANG_VERSIONS[0], None)
    packages = [
        PACKAGE_OF[tool].format(version=version)
        for tool in LLVM_TOOLS
        if llvm is None or not (llvm / "bin" / tool).exists()
    ]
    cmake = shutil.which("cmake")
    if cmake is None and compiles_libraries:
        packages.append("cmake")
    bitcode = _bitcode_folder()
    if bitcode is None:
        packages.append("rocm-device-libs")
    if llvm is None or bitcode is None or packages:
        names = " ".join(dict.fromkeys(packages))
        raise ToolMissing(
            f"the virtual ROCm is built with tools that are not installed: {names}",
            _install(names),
        )
    return Toolchain(version, llvm, Path(cmake) if cmake else None, bitcode)


def install_command() -> str:
    """What installs a compiler where there is none at all."""
    packages = [package.format(version=CLANG_VERSIONS[0]) for package in PACKAGE_OF.values()]
    return _install(" ".join(dict.fromkeys([*packages, "rocm-device-libs"])))


def _install(packages: str) -> str:
    return f"apt-get install -y --no-install-recommends {packages}"


def _newest_llvm() -> Optional[tuple[int, Path]]:
    for version in CLANG_VERSIONS:
        for pattern in LLVM_ROOTS:
            root = Path(pattern.format(version=version))
            if os.access(root / "bin" / "clang++", os.X_OK):
                return version, root
    return None


def _bitcode_folder() -> Optional[Path]:
    for pattern in BITCODE_FOLDERS:
        for folder in sorted(glob.glob(pattern)):
            if (Path(folder) / "ocml.bc").exists():
                return Path(folder)
    return None


def run_tool(*command: object, text: str = "") -> str:
    """Run one tool and return its output; a failure carries the last lines of its messages."""
    words = [str(word) for word in command]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-15:])
        raise ToolMissing(
            f"building the virtual ROCm failed in {Path(words[0]).name}:\n{tail}",
            "check the installed clang and device libraries: rocm-perf doctor",
        )
    return done.stdout
