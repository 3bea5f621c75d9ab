"""Random programs on the device, and in a small model of a wave: both have seen the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from cover_model import as_assembly, executed, random_program
from cover_support import OBJDUMP, Launch, listing, run_covered
from exec_support import assembly_kernel, compile_kernels, needs_harness

pytestmark = [
    needs_harness,
    pytest.mark.skipif(shutil.which(OBJDUMP) is None, reason=f"{OBJDUMP} is missing"),
]

GROUPS = 5


def _same(seeds: range, folder: Path) -> None:
    programs = {f"program{seed}": random_program(seed) for seed in seeds}
    source = "".join(
        assembly_kernel(name, as_assembly(name, program)) for name, program in programs.items()
    )
    code_object = compile_kernels(source, folder, "assembler")
    symbols, texts = listing(folder, code_object)
    launches = [Launch(name, grid=GROUPS * 64) for name in programs]
    done = run_covered(folder, code_object, launches, {"none": np.zeros(1)}, VROCM_TIMING="0")
    assert done.status == 0, done.stderr
    addresses = sorted(texts)
    for coverage in done.coverage:
        program = programs[coverage.kernel]
        first = addresses.index(symbols[coverage.kernel])
        known = {
            addresses.index(symbols[coverage.kernel] + offset) - first - 1: (
                seen.facts,
                seen.pairs,
            )
            for offset, seen in coverage.instructions.items()
        }
        expected = {n: (seen.facts, seen.shown()) for n, seen in executed(program, GROUPS).items()}
        assert known == expected, as_assembly(coverage.kernel, program)


def test_random_programs(tmp_path: Path) -> None:
    _same(range(12), tmp_path)


@pytest.mark.weekly
def test_many_random_programs(tmp_path: Path) -> None:
    _same(range(100, 500), tmp_path)
