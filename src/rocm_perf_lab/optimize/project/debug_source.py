"""The source of a program's kernels, from the line tables of its code objects."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from rocm_perf_lab.codeobject import CodeObjectFile, KernelInfo, read_code_objects
from rocm_perf_lab.collect.disassembly import disassemble
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import PerfLabError, UsageError
from rocm_perf_lab.optimize.project.flags import UNITS


def source_of_program(prefix: Prefix, program: Path) -> Path:
    """Raises ``UsageError`` when the program does not say, or its source is gone."""
    lines: Counter[str] = Counter()
    for code in read_code_objects(program):
        for kernel in code.kernels:
            lines.update(_files(prefix, code, kernel))
    there = [name for name, _ in lines.most_common() if os.path.isfile(name)]
    found = next((name for name in there if name.endswith(UNITS)), None)
    if found is None:
        why = "has no line tables" if not lines else f"was made from {next(iter(lines))}"
        raise UsageError(
            f"{program} {why}, so that its source is not known",
            "name it: --source FILE, or build the program with -g",
        )
    return Path(found)


def _files(prefix: Prefix, code: CodeObjectFile, kernel: KernelInfo) -> list[str]:
    try:
        listing = disassemble(prefix, code, kernel)
    except PerfLabError:
        return []
    return [_file(one.source) for one in listing if one.source]


def _file(place: str) -> str:
    return place.rpartition(":")[0]
