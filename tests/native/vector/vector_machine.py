"""Runs encoded vector instructions on the C++ handlers, on registers that tests can see."""

from __future__ import annotations

import ctypes
import functools
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt
import pytest
from isa_support import Words, built

ASSEMBLER = "llvm-mc-19"
# The host's instruction sets. Baseline is all that hosts other than x86-64 have.
TARGETS = ("baseline", "avx2", "avx512")

Rows = npt.NDArray[np.uint32]

needs_harness = pytest.mark.skipif(
    built("libvector_harness.so") is None or shutil.which(ASSEMBLER) is None,
    reason=f"the vector harness is not built (run `make native`) or {ASSEMBLER} is missing",
)


def assemble(lines: Sequence[str]) -> list[Optional[Words]]:
    """The encoding of each line, or None where the assembler rejects it."""
    text = "\n".join(f"case_{i}:\n{line}" for i, line in enumerate(lines))
    command = [ASSEMBLER, "-triple=amdgcn", "-mcpu=gfx942", "-show-encoding"]
    output = subprocess.run(command, input=text, capture_output=True, text=True).stdout
    result: list[Optional[Words]] = [None] * len(lines)
    current = -1
    for line in output.splitlines():
        label = re.match(r"case_(\d+):", line)
        if label:
            current = int(label.group(1))
        encoding = re.search(r"encoding: \[([^\]]*)\]", line)
        if encoding:
            data = bytes(int(b, 16) for b in encoding.group(1).split(","))
            words = [int.from_bytes(data[k : k + 4], "little") for k in range(0, len(data), 4)]
            result[current] = tuple(words)
    return result


@dataclass
class State:
    """The registers of one wave."""

    sgpr: Rows
    vgpr: Rows
    agpr: Rows
    mode: int = 0x3F0

    def copy(self) -> State:
        return State(self.sgpr.copy(), self.vgpr.copy(), self.agpr.copy(), self.mode)

    def pair(self, reg: int) -> int:
        return int(self.sgpr[reg]) | int(self.sgpr[reg + 1]) << 32

    def set_pair(self, reg: int, value: int) -> None:
        self.sgpr[reg], self.sgpr[reg + 1] = value & 0xFFFFFFFF, value >> 32


VCC, EXEC = 106, 126
MASK_REGISTERS = (VCC, 12, 14)  # VCC and the SGPR pairs that cases use as masks


def new_state(rows: int = 64) -> State:
    state = State(
        np.zeros(128, np.uint32), np.zeros((rows, 64), np.uint32), np.zeros((rows, 64), np.uint32)
    )
    state.set_pair(EXEC, 2**64 - 1)
    return state


@functools.cache
def library() -> ctypes.CDLL:
    lib = ctypes.CDLL(str(built("libvector_harness.so")))
    lib.vector_harness_op_name.restype = ctypes.c_char_p
    return lib


class Machine:
    """The handlers of one host instruction set."""

    def __init__(self, target: str) -> None:
        self.target = target.encode()

    def run(self, words: Words, state: State) -> None:
        """Executes on `state`, in place."""
        code = (ctypes.c_uint32 * 3)(*words)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (state.sgpr, state.vgpr, state.agpr)]
        status = library().vector_harness_run(
            self.target, code, len(words), *pointers, ctypes.c_uint32(state.mode)
        )
        reasons = {1: "not decoded", 2: "no handler", 3: "this CPU lacks the instruction set"}
        assert status == 0, reasons[status]

    def supported(self) -> bool:
        return any(self.handled().values())

    def handled(self) -> dict[str, bool]:
        """Every mnemonic of the target, and whether it has a vector handler."""
        count = library().vector_harness_op_count()
        return {
            library().vector_harness_op_name(op).decode(): bool(
                library().vector_harness_has_handler(self.target, op)
            )
            for op in range(count)
        }


def usual_machine() -> Machine:
    """The one of most hosts, which the others are compared with."""
    avx2 = Machine("avx2")
    return avx2 if avx2.supported() else Machine("baseline")
