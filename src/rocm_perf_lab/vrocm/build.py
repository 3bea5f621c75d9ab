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
from rocm_perf_lab.vrocm.layout import llvm
from rocm_perf_lab.vrocm.layout.headers import put_headers
from rocm_perf_lab.vrocm.layout.packages import put_packages
from rocm_perf_lab.vrocm.libraries import put_libraries
from rocm_perf_lab.vrocm.toolchain import Toolchain, install_command
from rocm_perf_lab.vrocm.whole import write_list

MARKER = Path(".info") / "virtual"
# Copied into the prefix: they run often, so they start without the package.
FRONT_ENDS = {"hipcc": "hipcc.py", "hipconfig": "hipconfig.py"}
COMPILER_RUNNER = "missing.py"  # what hipcc hands its command to
LAUNCHER = """\
#!/bin/sh
exec {python} -IS "$(dirname "$(readlink -f "$0")")/../{libexec}/{script}" "$@"
"""
# Programs that need the package itself, which the interpreter that builds the prefix has.
PACKAGE_FRONT_ENDS = {
    "rocprofv3": "rocprofv3",
    "rocprofv3-avail": "rocprofv3_avail",
    "rocminfo": "info.rocminfo",
    "rocm_agent_enumerator": "info.agents",
    llvm.ARCH: "info.agents --devices",
    "rocm-smi": "info.rocm_smi",
    "amd-smi": "info.amd_smi",
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
    write_list(to)
    # Written last: a folder with the marker is complete.
    (to / MARKER).write_text("gfx942\n")


def build_compiler(sources: Path, toolchain: Optional[Toolchain], to: Path) -> None:
    """What a program is compiled with: headers, device libraries, front ends, versions.

    Without a toolchain there are no device libraries, and ``hipcc`` says what it needs.
    """
    if toolchain is not None:
        build_bitcode(sources / "native" / "devicelib", toolchain, to / "amdgcn" / "bitcode")
    put_headers(sources / "native" / "include", to / "include")
    version = _hip_version(to / "include" / "hip" / "hip_version.h")
    put_packages(sources / "native" / "cmake", to, version, hipcc.DEFAULT_TARGET)
    _write_front_ends(toolchain, to, version)
    _write_versions(to, version)


def _hip_version(header: Path) -> str:
    """The version that the headers state: it is stated nowhere else."""
    stated = dict(re.findall(r"#define HIP_VERSION_(\w+) (\d+)", header.read_text()))
    return ".".join(stated[part] for part in ("MAJOR", "MINOR", "PATCH"))


def _write_front_ends(toolchain: Optional[Toolchain], to: Path, version: str) -> None:
    libexec = to / hipcc.LIBEXEC
    libexec.mkdir(parents=True)
    (to / "bin").mkdir()
    for name, script in FRONT_ENDS.items():
        shutil.copyfile(Path(__file__).with_name(script), libexec / script)
        _write_launcher(to / "bin" / name, LAUNCHER, libexec=hipcc.LIBEXEC, script=script)
    shutil.copyfile(Path(__file__).with_name(COMPILER_RUNNER), libexec / COMPILER_RUNNER)
    for name, program in PACKAGE_FRONT_ENDS.items():
        _write_launcher(to / "bin" / name, PACKAGE_LAUNCHER, program=program)
    settings = {"llvm": "", "hip_version": version}
    if toolchain is None:
        settings["install"] = install_command()
    else:
        _write_llvm(toolchain.llvm, to)
        settings["llvm"] = str(toolchain.llvm)
    (libexec / hipcc.SETTINGS).write_text(json.dumps(settings, indent=2) + "\n")


def _write_llvm(real: Path, to: Path) -> None:
    llvm.put_llvm(real, to / "llvm")
    folder = to / "llvm" / "bin"
    for name in llvm.CLANGS:
        words = {"libexec": hipcc.LIBEXEC, "name": name}
        _write_launcher(folder / name, llvm.CLANG_LAUNCHER, **words)
    for name, same in llvm.OTHER_NAMES.items():
        (folder / name).symlink_to(same)
        (to / "bin" / name).symlink_to(f"../llvm/bin/{same}")
    (folder / llvm.ARCH).symlink_to(f"../../bin/{llvm.ARCH}")


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
