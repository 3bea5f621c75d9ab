"""Runs inside a checkout of tinygrad: for each line ``add N`` or ``product N`` on standard input it
executes that on the emulated GPU and writes the processor seconds that the emulator took.

Only the emulation itself is timed, not tinygrad's scheduling around it. Not imported by anything.
"""

from __future__ import annotations

import ctypes
import sys
import time

from test.mockgpu.amd import emu  # of tinygrad
from tinygrad import Device, Tensor, dtypes
from tinygrad.runtime.support import compiler_llvm

EMULATED = "gfx950"  # its only CDNA target
# LLVM before 20 does not know that one; code for MI300X, whose instructions it has, runs as well.
COMPILED = "gfx942"

spent: list[float] = []


def compile_for_mi300x() -> None:
    original = compiler_llvm.AMDLLVMCompiler.__init__

    def init(self: compiler_llvm.AMDLLVMCompiler, arch: str) -> None:
        original(self, COMPILED if arch == EMULATED else arch)

    compiler_llvm.AMDLLVMCompiler.__init__ = init


def time_emulator() -> None:
    original = emu.run_asm

    def timed(*arguments: object, **named: object) -> int:
        start = time.process_time()
        result = original(*arguments, **named)
        spent.append(time.process_time() - start)
        return int(result)

    emu.run_asm = timed


def filled(*shape: int) -> Tensor:
    """The values of speed.hip."""
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    values = (ctypes.c_float * count)(*((i % 97) / 97 for i in range(count)))
    return Tensor(bytes(values), dtype=dtypes.float32).reshape(*shape).realize()


def main() -> None:
    compile_for_mi300x()
    time_emulator()
    operands: dict[tuple[str, int], tuple[Tensor, Tensor]] = {}
    for line in sys.stdin:
        what, size = line.split()[0], int(line.split()[1])
        if (what, size) not in operands:
            shape = (size,) if what == "add" else (size, size)
            operands[what, size] = (filled(*shape), filled(*shape))
        left, right = operands[what, size]
        spent.clear()
        (left + right if what == "add" else left @ right).realize()
        Device[Device.DEFAULT].synchronize()
        print(f"seconds {sum(spent):.6f}", flush=True)


if __name__ == "__main__":
    main()
