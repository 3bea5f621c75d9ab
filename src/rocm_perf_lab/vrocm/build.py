"""Build one prefix of the virtual ROCm: libraries, headers, device libraries, front ends.

The layout is that of /opt/rocm, so that build systems find what they look for.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm import hipcc
from rocm_perf_lab.vrocm.bitcode import build_bitcode
from rocm_perf_lab.vrocm.toolchain import Toolchain, run_tool

MARKER = Path(".info") / "virtual"
# CMake targets and the names under which programs look for them.
LIBRARIES = ("hsa-runtime64", "amdhip64", "roctx64", "rocprofiler-sdk-roctx")
# What find_package(hip) and CMake's HIP language read, by the file it is made from.
CMAKE_PACKAGES = {
    "hip": {name: name for name in ("hip-config.cmake", "hip-config-version.cmake")},
    "hip-lang": {
        "hip-lang-config.cmake": "hip-lang-config.cmake",
        "hip-lang-config-version.cmake": "hip-config-version.cmake",
    },
}
HEADERS = ("hip", "hsa", "roctracer", "rocprofiler-sdk-roctx")
# ROCm's names of inner headers that libraries include, and our public header with the same content.
INNER_HEADERS = {
    "amd_channel_descriptor.h": "channel_descriptor.h",
    "amd_device_functions.h": "hip_runtime.h",
    "amd_hip_atomic.h": "hip_runtime.h",
    "amd_hip_bf16.h": "hip_bf16.h",
    "amd_hip_bfloat16.h": "hip_bfloat16.h",
    "amd_hip_common.h": "hip_common.h",
    "amd_hip_complex.h": "hip_complex.h",
    "amd_hip_cooperative_groups.h": "hip_cooperative_groups.h",
    "amd_hip_fp16.h": "hip_fp16.h",
    "amd_hip_fp8.h": "hip_fp8.h",
    "amd_hip_math_constants.h": "hip_math_constants.h",
    "amd_hip_runtime.h": "hip_runtime.h",
    "amd_hip_runtime_pt_api.h": "hip_runtime_api.h",
    "amd_hip_unsafe_atomics.h": "hip_runtime.h",
    "amd_hip_vector_types.h": "hip_vector_types.h",
    "amd_math_functions.h": "math_functions.h",
    "amd_warp_functions.h": "hip_runtime.h",
    "amd_warp_sync_functions.h": "hip_runtime.h",
    "device_library_decls.h": "hip_runtime.h",
    "hip_ldg.h": "hip_runtime.h",
    "texture_fetch_functions.h": "hip_runtime.h",
    "texture_indirect_functions.h": "hip_runtime.h",
}
# Copied into the prefix: they run often, so they start without the package.
FRONT_ENDS = {"hipcc": "hipcc.py", "hipconfig": "hipconfig.py"}
LAUNCHER = """\
#!/bin/sh
exec {python} -IS "$(dirname "$(readlink -f "$0")")/../{libexec}/{script}" "$@"
"""
# Programs that need the package itself, which the interpreter that builds the prefix has.
PACKAGE_FRONT_ENDS = {
    "rocprofv3": "rocprofv3",
    "rocprofv3-avail": "rocprofv3_avail",
    "rocminfo": "rocminfo",
    "rocm_agent_enumerator": "rocminfo --targets",
}
PACKAGE_LAUNCHER = """\
#!/bin/sh
prefix="$(dirname "$(dirname "$(readlink -f "$0")")")"
exec {python} -I -m rocm_perf_lab.vrocm.{program} --rocm-root "$prefix" "$@"
"""


def build_prefix(
    sources: Path, toolchain: Toolchain, to: Path, work: Path, progress: Callable[[str], None]
) -> None:
    """Build everything into the existing empty folder ``to``; ``work`` keeps the object files."""
    progress("device libraries ...")
    build_compiler(sources, toolchain, to)
    _build_libraries(sources, toolchain, work, progress)
    _copy_libraries(work / "lib", to / "lib")
    # Written last: a folder with the marker is complete.
    (to / MARKER).write_text("gfx942\n")


def build_compiler(sources: Path, toolchain: Toolchain, to: Path) -> None:
    """What a program is compiled with: headers, device libraries, front ends, versions."""
    build_bitcode(sources / "native" / "devicelib", toolchain, to / "amdgcn" / "bitcode")
    _copy_headers(sources / "native" / "include", to / "include")
    version = _hip_version(to / "include" / "hip" / "hip_version.h")
    _copy_cmake_packages(sources / "native" / "cmake", to / "lib" / "cmake", version)
    _write_front_ends(toolchain, to, version)
    _write_versions(to, version)


def _hip_version(header: Path) -> str:
    """The version that the headers state: it is stated nowhere else."""
    stated = dict(re.findall(r"#define HIP_VERSION_(\w+) (\d+)", header.read_text()))
    return ".".join(stated[part] for part in ("MAJOR", "MINOR", "PATCH"))


def _copy_headers(sources: Path, to: Path) -> None:
    for name in HEADERS:
        if (sources / name).is_dir():
            shutil.copytree(sources / name, to / name)
    for name, public in INNER_HEADERS.items():
        (to / "hip" / "amd_detail" / name).write_text(f"#pragma once\n#include <hip/{public}>\n")


def _copy_cmake_packages(sources: Path, to: Path, version: str) -> None:
    for package, files in CMAKE_PACKAGES.items():
        (to / package).mkdir(parents=True)
        for file, source in files.items():
            text = (sources / source).read_text().replace("@HIP_VERSION@", version)
            (to / package / file).write_text(text)


def _write_front_ends(toolchain: Toolchain, to: Path, version: str) -> None:
    libexec = to / hipcc.LIBEXEC
    libexec.mkdir(parents=True)
    (to / "bin").mkdir()
    for name, script in FRONT_ENDS.items():
        shutil.copyfile(Path(__file__).with_name(script), libexec / script)
        _write_launcher(to / "bin" / name, LAUNCHER, libexec=hipcc.LIBEXEC, script=script)
    for name, program in PACKAGE_FRONT_ENDS.items():
        _write_launcher(to / "bin" / name, PACKAGE_LAUNCHER, program=program)
    (to / "llvm").symlink_to(toolchain.llvm)
    settings = {"llvm": str(toolchain.llvm), "hip_version": version}
    (libexec / hipcc.SETTINGS).write_text(json.dumps(settings, indent=2) + "\n")


def _write_launcher(path: Path, text: str, **words: str) -> None:
    path.write_text(text.format(python=_quoted(sys.executable), **words))
    path.chmod(0o755)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _build_libraries(
    sources: Path, toolchain: Toolchain, work: Path, progress: Callable[[str], None]
) -> None:
    progress("configure ...")
    configure = [toolchain.cmake, "-S", sources, "-B", work, "-DCMAKE_BUILD_TYPE=Release"]
    if not (work / "CMakeCache.txt").exists():  # CMake starts over when its compiler changes
        configure.append(f"-DCMAKE_CXX_COMPILER={toolchain.tool('clang++')}")
    run_tool(*configure)
    _compile(toolchain, work, progress)


def _copy_libraries(built: Path, to: Path) -> None:
    for name in LIBRARIES:
        for file in sorted(built.glob(f"lib{name}.so*")):
            shutil.copy2(file, to / file.name, follow_symlinks=False)


def _compile(toolchain: Toolchain, work: Path, progress: Callable[[str], None]) -> None:
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


def _write_versions(to: Path, version: str) -> None:
    parts = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
    numbers = "".join(f"HIP_VERSION_{part}={number}\n" for part, number in parts)
    (to / "share" / "hip").mkdir(parents=True)
    (to / "share" / "hip" / "version").write_text(numbers)
    (to / "bin" / ".hipVersion").write_text(numbers)
    (to / ".info").mkdir()
    (to / ".info" / "version").write_text(f"{version}-virtual\n")
