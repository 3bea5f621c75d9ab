"""Builds the kernel in higher precision, or says why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.optimize.project import PrivateTree, open_project
from rocm_perf_lab.optimize.project.private_tree import Built
from rocm_perf_lab.optimize.reference.widen import NotWidened, widened
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.source import Parser, TranslationUnit, compile_command
from rocm_perf_lab.optimize.source.kernel_names import kernel_of
from rocm_perf_lab.optimize.source.model import Kernel
from rocm_perf_lab.prove.oracle.reference import Reference

_SAID = "the kernel's own source, computing in double"
Build = Callable[[Mapping[str, bytes]], Built]  # of files that are not as they were, by path


def reference_of(unit: TranslationUnit, kernel: Kernel, build: Build) -> Reference:
    try:
        text = widened(unit, kernel)
    except NotWidened as why:
        return Reference(None, f"the kernel {why}")
    built = build({kernel.path: text})
    if built.file is None:
        first = next((line for line in built.said.splitlines() if "error" in line), built.said)
        return Reference(None, f"the kernel does not compile in double: {first.strip()[:200]}")
    return Reference(built.file, _SAID)


def reference_from_source(
    source: Path, flags: Sequence[str], demangled: str, prefix: Prefix, folder: Path
) -> Reference:
    """For a captured kernel whose source the user names; ``folder`` is for what is built."""
    try:
        project = open_project(OptimizeRequest(("-",), (source,), flags=tuple(flags)), prefix)
        tree = PrivateTree(project, prefix, folder)
        (path,) = project.sources
        with Parser(compile_command(prefix, path, project.flags), path) as parser:
            unit = parser.parse()
    except PerfLabError as error:
        return Reference(None, error.cause)
    kernel = kernel_of(unit.kernels, demangled)
    if kernel is None:
        return Reference(None, f"{source} does not define the kernel")
    return reference_of(unit, kernel, lambda contents: tree.code(contents, path))
