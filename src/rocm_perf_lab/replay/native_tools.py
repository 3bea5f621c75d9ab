"""The capture library and the replayer: found where CMake built them, else compiled once.

Both are small and link to no ROCm library. They are compiled against the headers of the ROCm prefix
where it has them, else against our own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.last_line import LAST_LINE
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ask_program
from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm.cache import build_once, cache_folder
from rocm_perf_lab.vrocm.sources import carried, is_checkout, source_root

CAPTURE_LIBRARY = "librocm-perf-capture.so"
REPLAYER = "rocm-perf-replayer"
BUILD_VARIABLE = "ROCM_PERF_NATIVE_BUILD"  # a CMake build folder to take the tools from
_COMPILERS = ("clang++-19", "clang++", "g++", "c++")
_COMPILE_SECONDS = 600.0
_ROOMS = {CAPTURE_LIBRARY: ("capture", "metadata"), REPLAYER: ("replay",)}  # of native/


@dataclass(frozen=True)
class NativeTools:
    capture: Path
    replayer: Path


def native_tools(prefix: Prefix) -> NativeTools:
    """Both tools, for this prefix. Raises ``ToolMissing`` when they cannot be compiled."""
    root = source_root()
    folders = {tool: [root / "native" / room for room in rooms] for tool, rooms in _ROOMS.items()}
    sources = [
        file for rooms in folders.values() for room in rooms for file in sorted(room.rglob("*"))
    ]
    built = _built_by_cmake(root, sources) or _carried(prefix)
    if built is not None:
        return built
    headers = prefix.path / "include"
    if not (headers / "hsa" / "hsa_api_trace.h").is_file():
        headers = root / "native" / "include"
    compiler = _compiler()
    digest = _digest([*sources, *sorted((headers / "hsa").iterdir())], compiler)
    place = cache_folder() / f"replay-tools-{digest}"
    tools = NativeTools(place / CAPTURE_LIBRARY, place / REPLAYER)
    if not place.is_dir():
        build_once(place, lambda to: _compile_both(to, folders, headers, compiler))
    return tools


def _carried(prefix: Prefix) -> Optional[NativeTools]:
    """What a binary wheel has. A real ROCm may have other headers: compile against those."""
    library, program = carried("lib"), carried("bin")
    if prefix.kind != "virtual" or library is None or program is None:
        return None
    return NativeTools(library / CAPTURE_LIBRARY, program / REPLAYER)


def _built_by_cmake(root: Path, sources: Iterable[Path]) -> Optional[NativeTools]:
    """What ``make native`` left, unless a source is newer."""
    chosen = os.environ.get(BUILD_VARIABLE)
    if not chosen and not is_checkout(root):
        return None
    build = Path(chosen) if chosen else root / "build"
    tools = NativeTools(build / "lib" / CAPTURE_LIBRARY, build / "bin" / REPLAYER)
    if not (tools.capture.is_file() and tools.replayer.is_file()):
        return None
    newest = max(file.stat().st_mtime for file in sources)
    oldest = min(tools.capture.stat().st_mtime, tools.replayer.stat().st_mtime)
    return tools if chosen or newest <= oldest else None


def _compiler() -> Path:
    for name in (os.environ.get("CXX"), *_COMPILERS):
        found = shutil.which(name) if name else None
        if found is not None:
            return Path(found)
    raise ToolMissing("capture and replay need a C++ compiler once", "install clang++ or g++")


def _digest(files: Iterable[Path], compiler: Path) -> str:
    digest = hashlib.sha256(str(compiler.resolve()).encode())
    for file in files:
        if file.is_file():
            digest.update(file.name.encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _compile_both(to: Path, folders: dict[str, list[Path]], headers: Path, compiler: Path) -> None:
    # Without the definition, ROCm's hsa_api_trace.h looks for headers that nobody installs.
    library = ("-shared", "-fPIC", "-fvisibility=hidden", "-DAMD_INTERNAL_BUILD")
    wanted = (
        (folders[CAPTURE_LIBRARY], to / CAPTURE_LIBRARY, library),
        (folders[REPLAYER], to / REPLAYER, ()),
    )
    if LAST_LINE.is_watched():
        LAST_LINE.pass_on(b"compiling the capture tools, once ...\n")
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(_compile, compiler, headers, *one) for one in wanted]:
            done.result()


def _compile(
    compiler: Path, headers: Path, rooms: list[Path], to: Path, options: tuple[str, ...]
) -> None:
    sources = [str(file) for room in rooms for file in sorted(room.rglob("*.cpp"))]
    includes = [f"-I{rooms[0]}", f"-I{rooms[0].parent}", f"-I{headers}"]
    command = [str(compiler), "-std=c++17", "-O1", *options, *includes, *sources]
    result = ask_program([*command, "-ldl", "-o", str(to)], timeout_s=_COMPILE_SECONDS)
    if result.timed_out:
        raise ToolMissing(
            f"{compiler} did not end within {_COMPILE_SECONDS:g} s on {to.name}",
            "run the command again when the machine has less to do",
        )
    if not result.ok:
        raise ToolMissing(
            f"{to.name} does not compile with {compiler}:\n{result.stderr_tail.rstrip()}",
            "choose another compiler with CXX, or report this",
        )
