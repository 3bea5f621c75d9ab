"""Runs encoded vector instructions on the C++ handlers: builds the harness, assembles, executes."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "native"
TARGETS = {"baseline": "x86-64", "avx2": "x86-64-v3", "avx512": "x86-64-v4"}
COMPILER = shutil.which("clang++-19") or shutil.which("clang++")
ASSEMBLER = shutil.which("llvm-mc-19") or shutil.which("llvm-mc")
FLAGS = "-std=c++17 -O3 -ffp-contract=off -fPIC -Wall -Wextra -Werror".split()

Words = Tuple[int, ...]
Rows = npt.NDArray[np.uint32]


def missing_tools() -> Optional[str]:
    """Why the vector tests cannot run here."""
    absent = [n for n, p in (("clang++", COMPILER), ("llvm-mc", ASSEMBLER)) if p is None]
    return f"needs {' and '.join(absent)} (LLVM 19)" if absent else None


def _sources() -> List[Tuple[Path, List[str], str]]:
    """Each source with its flags and the name of its object."""
    jobs = []
    for target, march in TARGETS.items():
        flags = [f"-march={march}", f"-DVGPU_TARGET={target}"]
        for path in sorted((NATIVE / "vgpu/exec").glob("vector*.cpp")):
            jobs.append((path, flags, f"{path.stem}-{target}.o"))
    for path in [*sorted((NATIVE / "vgpu/isa").glob("*.cpp")), NATIVE / "tests/vector_harness.cpp"]:
        jobs.append((path, [], f"{path.stem}.o"))
    return jobs


def _digest() -> str:
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    rooms = [NATIVE / "vgpu/exec", NATIVE / "vgpu/isa", NATIVE / "vgpu/isa/tables", NATIVE / "tests"]
    for path in sorted(p for room in rooms for p in room.glob("*") if p.is_file()):
        if path.parent.name != "exec" or path.name.startswith(("vector", "float", "wave", "handlers")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def build_library() -> Path:
    """The harness, compiled once per state of the sources and shared by all test processes."""
    directory = ROOT / "build" / "native-tests" / "vector"
    directory.mkdir(parents=True, exist_ok=True)
    library = directory / f"libvector-{_digest()}.so"
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if library.exists():
            return library
        for stale in directory.glob("libvector-*.so"):
            stale.unlink()

        def compile_one(job: Tuple[Path, List[str], str]) -> str:
            source, flags, name = job
            command = [str(COMPILER), *FLAGS, *flags, "-c", str(source), "-o", str(directory / name)]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            return str(directory / name)

        with ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(compile_one, _sources()))
        partial = library.with_suffix(".partial")
        subprocess.run([str(COMPILER), "-shared", "-o", str(partial), *objects], check=True)
        partial.rename(library)
    return library


def assemble(lines: Sequence[str]) -> List[Optional[Words]]:
    """The encoding of each line, or None where the assembler rejects it."""
    text = "\n".join(f"case_{i}:\n{line}" for i, line in enumerate(lines))
    command = [str(ASSEMBLER), "-triple=amdgcn", "-mcpu=gfx942", "-show-encoding"]
    output = subprocess.run(command, input=text, capture_output=True, text=True).stdout
    result: List[Optional[Words]] = [None] * len(lines)
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


class Machine:
    """The handlers of one host instruction set."""

    def __init__(self, target: str = "avx2") -> None:
        self.target = list(TARGETS).index(target)
        self._library = ctypes.CDLL(str(build_library()))
        self._library.vector_harness_op_name.restype = ctypes.c_char_p

    def run(self, words: Words, state: State) -> None:
        """Executes on `state`, in place."""
        code = (ctypes.c_uint32 * 3)(*words)
        pointers = [
            a.ctypes.data_as(ctypes.c_void_p) for a in (state.sgpr, state.vgpr, state.agpr)
        ]
        status = self._library.vector_harness_run(
            self.target, code, len(words), *pointers, ctypes.c_uint32(state.mode)
        )
        reasons = {1: "not decoded", 2: "no handler", 3: "this CPU lacks the instruction set"}
        assert status == 0, reasons[status]

    def supported(self) -> bool:
        return any(self.handled().values())

    def handled(self) -> Dict[str, bool]:
        """Every mnemonic of the target, and whether it has a vector handler."""
        count = self._library.vector_harness_op_count()
        return {
            self._library.vector_harness_op_name(op).decode(): bool(
                self._library.vector_harness_has_handler(self.target, op)
            )
            for op in range(count)
        }
