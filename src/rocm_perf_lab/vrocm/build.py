"""Build one prefix of the virtual ROCm: libraries, headers, device libraries, front ends.

The layout is that of /opt/rocm, so that build systems find what they look for.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Callable, Optional

from rocm_perf_lab.vrocm import hipcc
from rocm_perf_lab.vrocm.bitcode import build_bitcode
from rocm_perf_lab.vrocm.libraries import put_libraries
from rocm_perf_lab.vrocm.toolchain import Toolchain, install_command

MARKER = Path(".info") / "virtual"
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
    sources: Path,
    toolchain: Optional[Toolchain],
    libraries: Path,
    to: Path,
    progress: Callable[[str], None],
) -> None:
    """Build everything into the existing empty folder ``to``."""
    progress("device libraries ...")
    build_compiler(sources, toolchain, to)
    put_libraries(libraries, to / "lib")
    # Written last: a folder with the marker is complete.
    (to / MARKER).write_text("gfx942\n")


def build_compiler(sources: Path, toolchain: Optional[Toolchain], to: Path) -> None:
    """What a program is compiled with: headers, device libraries, front ends, versions.

    Without a toolchain there are no device libraries, and ``hipcc`` says what it needs.
    """
    if toolchain is not None:
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


def _write_front_ends(toolchain: Optional[Toolchain], to: Path, version: str) -> None:
    libexec = to / hipcc.LIBEXEC
    libexec.mkdir(parents=True)
    (to / "bin").mkdir()
    for name, script in FRONT_ENDS.items():
        shutil.copyfile(Path(__file__).with_name(script), libexec / script)
        _write_launcher(to / "bin" / name, LAUNCHER, libexec=hipcc.LIBEXEC, script=script)
    for name, program in PACKAGE_FRONT_ENDS.items():
        _write_launcher(to / "bin" / name, PACKAGE_LAUNCHER, program=program)
    settings = {"llvm": "", "hip_version": version}
    if toolchain is None:
        settings["install"] = install_command()
    else:
        (to / "llvm").symlink_to(toolchain.llvm)
        settings["llvm"] = str(toolchain.llvm)
    (libexec / hipcc.SETTINGS).write_text(json.dumps(settings, indent=2) + "\n")


def _write_launcher(path: Path, text: str, **words: str) -> None:
    path.write_text(text.format(python=_quoted(sys.executable), **words))
    path.chmod(0o755)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _write_versions(to: Path, version: str) -> None:
    parts = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
    numbers = "".join(f"HIP_VERSION_{part}={number}\n" for part, number in parts)
    (to / "share" / "hip").mkdir(parents=True)
    (to / "share" / "hip" / "version").write_text(numbers)
    (to / "bin" / ".hipVersion").write_text(numbers)
    (to / ".info").mkdir()
    (to / ".info" / "version").write_text(f"{version}-virtual\n")
