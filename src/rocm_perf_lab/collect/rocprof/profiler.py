"""What the rocprofv3 of a prefix is able to do, asked from the program itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import PROFILER, Prefix
from rocm_perf_lab.collect.process import ask_program
from rocm_perf_lab.errors import ToolFailed, ToolMissing

Version = tuple[int, ...]


@dataclass(frozen=True)
class Profiler:
    """One rocprofv3. Features come from its help text, because versions were backported."""

    path: Path
    version: Optional[Version]  # of rocprofiler-sdk; None when the program does not say
    rocm_version: Optional[Version]
    options: frozenset[str]  # every long option that it documents
    has_rocpd: bool  # ROCm 7.0 and later; older ones write CSV

    @property
    def version_text(self) -> str:
        return format_version(self.version)


def has_own_decoder(profiler: Profiler) -> bool:
    """It makes thread traces and takes no path of a library that decodes them."""
    return "--att" in profiler.options and "--att-library-path" not in profiler.options


def format_version(version: Optional[Version]) -> str:
    return "unknown" if version is None else ".".join(str(part) for part in version)


def probe_profiler(prefix: Prefix) -> Profiler:
    """Ask ``rocprofv3`` for its version and options. Needs no GPU and no application."""
    path = prefix.tool(PROFILER)
    help_text = _ask(path, "--help")
    if "--kernel-trace" not in help_text:
        raise ToolFailed(
            f"{path} does not describe itself as rocprofv3: --kernel-trace is not in its help",
            f"check the installation with {path} --help, or name another one with --rocm PREFIX",
        )
    versions = parse_version_report(_ask(path, "--version"))
    return Profiler(
        path=path,
        version=versions.get("version"),
        rocm_version=versions.get("rocm_version"),
        options=frozenset(re.findall(r"--[a-z][a-z0-9-]*", help_text)),
        has_rocpd=re.search(r"\brocpd\b", help_text) is not None,
    )


def parse_version_report(text: str) -> dict[str, Version]:
    """Read the ``key: value`` lines of ``rocprofv3 --version`` that hold a version number."""
    found = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        number = re.match(r"\s*(\d+(?:\.\d+)*)", value)
        if colon and number is not None:
            found[key.strip()] = tuple(int(part) for part in number.group(1).split("."))
    return found


def _ask(path: Path, option: str) -> str:
    try:
        result = ask_program([str(path), option])
    except OSError as error:
        cause = f"{path} cannot be started: {error.strerror}"
        raise ToolMissing(cause, "rocm-perf doctor") from error
    if not result.ok:
        raise ToolFailed(
            f"{path} {option} failed: {result.ending}",
            f"run {path} {option} and repair the installation, or name another: --rocm PREFIX",
            stderr_tail=result.stderr_tail,
        )
    return result.answer
