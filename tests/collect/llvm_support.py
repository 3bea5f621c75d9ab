"""A prefix whose only part is an installed LLVM, for what reads and writes machine code."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_perf_lab.collect.prefix import Prefix

LLVM = Path("/usr/lib/llvm-19")
NEEDS_LLVM = [
    pytest.mark.native,
    pytest.mark.skipif(
        not (LLVM / "bin" / "llvm-objdump").exists(), reason=f"LLVM 19 is not in {LLVM}"
    ),
]


def llvm_prefix(folder: Path) -> Prefix:
    (folder / "llvm").symlink_to(LLVM)
    return Prefix(folder, "rocm", "test")
