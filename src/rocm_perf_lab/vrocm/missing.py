"""Libraries that ROCm has and the virtual ROCm has not: who misses one is told where it comes from.

As a program it runs a compiler's command, passes its messages on, and adds a line for every such
library that they ask for. It is copied into the prefix and runs there on its own, so it imports the
standard library only.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Callable, Optional

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Library:
    title: str
    stem: str  # of its file (libSTEM.so) and of its folder of headers
    package: str = ""  # of Debian
    since: str = ""  # the oldest Debian that has the package
    cmake: str = ""  # the name in find_package where it is not the stem; "-" where there is none

    def cmake_package(self) -> str:
        return (self.cmake or self.stem).strip("-")

    def where_from(self, llvm: str = "VERSION") -> str:
        if not self.package:
            return "Debian has no package of it"
        package = self.package.format(llvm=llvm)
        return f"apt-get install {package} (Debian {self.since} or newer)"


LIBRARIES = (
    Library("hipBLAS", "hipblas", "libhipblas-dev", "13"),
    Library("hipBLASLt", "hipblaslt", "libhipblaslt-dev", "14"),
    Library("hipCUB", "hipcub", "libhipcub-dev", "13"),
    Library("hipFFT", "hipfft", "libhipfft-dev", "13"),
    Library("hipRAND", "hiprand", "libhiprand-dev", "12"),
    Library("hipSOLVER", "hipsolver", "libhipsolver-dev", "13"),
    Library("hipSPARSE", "hipsparse", "libhipsparse-dev", "12"),
    Library("hipSPARSELt", "hipsparselt"),
    Library("hipTensor", "hiptensor"),
    Library("rocBLAS", "rocblas", "librocblas-dev", "13"),
    Library("rocFFT", "rocfft", "librocfft-dev", "13"),
    Library("rocPRIM", "rocprim", "librocprim-dev", "12"),
    Library("rocRAND", "rocrand", "librocrand-dev", "12"),
    Library("rocSOLVER", "rocsolver", "librocsolver-dev", "13"),
    Library("rocSPARSE", "rocsparse", "librocsparse-dev", "12"),
    Library("rocThrust", "thrust", "librocthrust-dev", "13", cmake="rocthrust"),
    Library("rocWMMA", "rocwmma"),
    Library("rocALUTION", "rocalution", "librocalution-dev", "13"),
    Library("RCCL", "rccl", "librccl-dev", "13"),
    Library("MIOpen", "miopen", "libmiopen-dev", "14"),
    Library("Composable Kernel", "ck", cmake="composable_kernel"),
    Library("ROCm SMI's library", "rocm_smi", "librocm-smi-dev", "12"),
    Library("AMD SMI's library", "amd_smi", "libamd-smi-dev", "13"),
    # CMake finds the distribution's by a package of the prefix's own.
    Library("the code object manager (comgr)", "amd_comgr", "libamd-comgr-dev", "12", cmake="-"),
    Library("clang's OpenMP runtime", "omp", "libomp-{llvm}-dev", "12", cmake="-"),
)

# What compilers, linkers, the loader and CMake say of a file or package that is not there.
_SAYINGS = (
    re.compile(r"fatal error: '?([\w./+-]+\.(?:h|hpp|cuh))'?(?: file not found|: No such file)"),
    re.compile(r"(?:unable to find library|cannot find) -l([\w+-]+)"),
    re.compile(r"\blib([\w+-]+)\.so[.\d]*: cannot open shared object file"),
)


def missing_in(messages: str) -> Iterator[Library]:
    """The libraries that the messages call missing, each once, in their order."""
    named = [match for saying in _SAYINGS for match in saying.finditer(messages)]
    stems = [_stem(match.group(1)) for match in sorted(named, key=lambda match: match.start())]
    known = {library.stem: library for library in LIBRARIES}
    for stem in dict.fromkeys(stems):
        if stem in known:
            yield known[stem]


def _stem(name: str) -> str:
    """hipblas of hipblas/hipblas.h, hipblas.h and hipblas; rocm_smi of rocm_smi64."""
    first = name.partition("/")[0].partition(".")[0].lower()
    return first[:-2] if first.endswith("64") else first


def notes(messages: str, llvm: str) -> list[str]:
    return [
        f"{library.title} is not installed and no part of the virtual ROCm: "
        f"{library.where_from(llvm)}"
        for library in missing_in(messages)
    ]


def _passed_on(command: Sequence[str]) -> tuple[int, str]:
    """The command's exit code, and its messages, which have been shown as they came."""
    with subprocess.Popen(command, stderr=subprocess.PIPE) as child:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _forwarder(child))
        assert child.stderr is not None
        kept = []
        while chunk := os.read(child.stderr.fileno(), _CHUNK):
            _write(chunk)
            kept.append(chunk)
    return child.returncode, b"".join(kept).decode(errors="replace")


def _forwarder(
    child: subprocess.Popen[bytes],
) -> Callable[[int, Optional[FrameType]], None]:
    return lambda number, frame: child.send_signal(number)


def _write(text: bytes) -> None:
    while text:
        text = text[os.write(sys.stderr.fileno(), text) :]


def main(command: list[str]) -> int:
    if sys.stderr.isatty() and not any("diagnostics" in word for word in command):
        command = [command[0], "-fcolor-diagnostics", *command[1:]]
    code, messages = _passed_on(command)
    if code != 0:
        version = re.search(r"/llvm-(\d+)/", command[0])
        for note in notes(messages, version.group(1) if version else "VERSION"):
            print(f"hipcc: note: {note}", file=sys.stderr)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
