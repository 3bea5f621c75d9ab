"""The runtime libraries of the virtual ROCm: carried by a binary wheel, else compiled once.

They do not depend on the interpreter or on where the package is installed, so that one build serves
every environment of a user.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Optional

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm.cache import build_once, cache_folder, lock, note_use, remove_unused
from rocm_perf_lab.vrocm.sources import carried, is_checkout, library_digest
from rocm_perf_lab.vrocm.toolchain import Toolchain, run_tool

# CMake targets and the names under which programs look for them.
LIBRARIES = ("hsa-runtime64", "amdhip64", "hiprtc", "roctx64", "rocprofiler-sdk-roctx")
# Names of older versions whose programs a library also serves.
OLDER_NAMES = {"amdhip64": ("libamdhip64.so.6",), "hiprtc": ("libhiprtc.so.6",)}
_USED = Path(".used")
_VERSIONED = re.compile(r"(lib.+\.so)(\.\d+)[.\d]*")


def ensure_libraries(
    sources: Path,
    toolchain: Optional[Toolchain],
    progress: Callable[[str], None],
    again: bool = False,
) -> Path:
    """The folder that holds them. Without a toolchain only what the package carries."""
    ours = carried("lib")
    if ours is not None:
        return ours
    assert toolchain is not None, "nothing is carried, so that the search for it has failed before"
    digest = hashlib.sha256((library_digest(sources) + toolchain.identity()).encode())
    place = cache_folder() / f"libraries-{digest.hexdigest()[:16]}"

    def compile_into(folder: Path) -> None:
        _compile(sources, toolchain, folder, progress)

    if not place.is_dir() or again:
        build_once(place, compile_into, again=again)
        remove_unused("libraries", _USED)
    note_use(place / _USED)
    return place


def put_libraries(libraries: Path, to: Path) -> None:
    """The files with the names that linkers and loaders look for: libx.so -> libx.so.1 -> file."""
    for name in LIBRARIES:
        for file in sorted(libraries.glob(f"lib{name}.so.*")):
            versioned = _VERSIONED.fullmatch(file.name)
            if file.is_symlink() or versioned is None:
                continue
            shutil.copy2(file, to / file.name)  # a link would share damage with the package
            plain, major = versioned.groups()
            older = [(older, plain + major) for older in OLDER_NAMES.get(name, ())]
            for link, target in ((plain + major, file.name), (plain, plain + major), *older):
                if link != target:
                    (to / link).symlink_to(target)


def _compile(
    sources: Path, toolchain: Toolchain, to: Path, progress: Callable[[str], None]
) -> None:
    objects = _object_folder(toolchain, sources)
    objects.mkdir(parents=True, exist_ok=True)
    with lock(objects / ".lock"):
        _run_cmake(sources, toolchain, objects, progress)
        for name in LIBRARIES:
            for file in sorted((objects / "lib").glob(f"lib{name}.so.*")):
                if not file.is_symlink():
                    shutil.copy2(file, to / file.name)
        if not is_checkout(sources):
            shutil.rmtree(objects)
    (to / _USED).touch()


def _object_folder(toolchain: Toolchain, sources: Path) -> Path:
    """Where object files stay between builds, so that a change compiles what it touches.

    In a checkout that is the folder that ``cmake -S . -B build`` uses too: nothing compiles twice.
    """
    if is_checkout(sources):
        return sources / "build"
    digest = hashlib.sha256(f"{sources}{toolchain.identity()}".encode())
    return cache_folder() / f"objects-{digest.hexdigest()[:16]}"


def _run_cmake(
    sources: Path, toolchain: Toolchain, work: Path, progress: Callable[[str], None]
) -> None:
    progress("configure ...")
    configure = [toolchain.cmake, "-S", sources, "-B", work, "-DCMAKE_BUILD_TYPE=Release"]
    if not (work / "CMakeCache.txt").exists():  # CMake starts over when its compiler changes
        configure.append(f"-DCMAKE_CXX_COMPILER={toolchain.tool('clang++')}")
    run_tool(*configure)
    jobs = str(os.cpu_count() or 1)
    command = [str(toolchain.cmake), "--build", str(work), "-j", jobs, "--target", *LIBRARIES]
    lines: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as build:
        assert build.stdout is not None
        for line in build.stdout:
            lines.append(line)
            percent = re.match(r"\[ *(\d+%)\]", line)
            if percent:
                progress(f"libraries {percent.group(1)} ...")
    if build.returncode != 0:
        raise ToolMissing(
            "the libraries of the virtual ROCm do not compile:\n" + "".join(lines[-30:]).rstrip(),
            f"check the compiler {toolchain.tool('clang++')}: rocm-perf doctor",
        )
