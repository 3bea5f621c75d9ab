"""The instructions of both versions of a kernel, and what a batch of scenes executed of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Optional

from rocm_perf_lab.codeobject import read_code_objects
from rocm_perf_lab.collect.disassembly import Instruction, disassemble
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.prove.oracle.executed.unseen import Coverage
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.coverage import Work, merged, read_coverage
from rocm_perf_lab.replay.variant import VariantCode

PART = "coverage"  # in the folder of a scene


def captured_listing(prefix: Prefix, capture: Capture) -> tuple[Instruction, ...]:
    return disassemble(prefix, capture.code, capture.kernel)


def variant_listing(prefix: Prefix, code: VariantCode) -> tuple[Instruction, ...]:
    for one in read_code_objects(code.file):
        kernel = one.kernel(code.symbol)
        if kernel is not None:
            return disassemble(prefix, one, kernel)
    return ()


def work_of(folder: Optional[Path]) -> Optional[Work]:
    """What the launch of one scene needed, made and computed; None where nobody counted."""
    if folder is None or not (folder / PART).is_file():
        return None
    return read_coverage(folder / PART)[0].work


def coverage_of(folders: Iterable[Path]) -> Coverage:
    """Of several scenes together."""
    parts = [folder / PART for folder in folders]
    lines = [line for part in parts if part.is_file() for line in read_coverage(part)]
    return merged(lines)
