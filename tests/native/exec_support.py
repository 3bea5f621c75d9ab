"""Runs gfx942 kernels on the virtual device without HSA or HIP, for the tests of its execution.

Kernels are written in assembly or OpenCL C and compiled by clang when a test asks for them.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

import numpy as np
import pytest
from isa_support import built

CLANG = shutil.which("clang-19") or "clang-19"
TARGET = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-mcode-object-version=5")

Argument = Union[int, float, "Buffer"]

HARNESS = built("libexec_harness.so")
MODEL_HARNESS = built("libmodel_harness.so")

needs_harness = pytest.mark.skipif(
    HARNESS is None or shutil.which("clang-19") is None,
    reason="the native harness is not built (run `make native`) or clang-19 is missing",
)


class _Launch(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint32 * 3),
        ("group", ctypes.c_uint16 * 3),
        ("dimensions", ctypes.c_uint16),
        ("dynamic_lds", ctypes.c_uint32),
        ("private_bytes", ctypes.c_uint32),
    )


needs_model_harness = pytest.mark.skipif(
    MODEL_HARNESS is None, reason="the native harness is not built (run `make native`)"
)


def importing(test: str) -> str:
    """The first line of a script that imports this file of tests and its support files."""
    folders = [str(Path(test).parent), str(Path(__file__).parent)]
    return f"import sys; sys.path[:0] = {folders!r}\n"


@functools.cache
def model_library() -> ctypes.CDLL:
    """The model alone, without anything that executes."""
    return ctypes.CDLL(str(MODEL_HARNESS))


@functools.cache
def library() -> ctypes.CDLL:
    lib = ctypes.CDLL(str(HARNESS))
    lib.exec_load.restype = ctypes.c_void_p
    lib.exec_load.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
    lib.exec_allocate.restype = ctypes.c_void_p
    lib.exec_allocate.argtypes = (ctypes.c_size_t, ctypes.c_char_p)
    lib.exec_free.argtypes = (ctypes.c_void_p,)
    lib.exec_dispatch.argtypes = (
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.POINTER(_Launch),
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_uint64),
        ctypes.POINTER(ctypes.c_uint64),
    )
    lib.exec_simulated_ns.restype = ctypes.c_uint64
    lib.exec_bound_name.restype = ctypes.c_char_p
    lib.exec_bound_cycles.restype = ctypes.c_double
    lib.exec_set_device_size.argtypes = (ctypes.c_int, ctypes.c_double)
    lib.exec_set_device_size.restype = None
    return lib


@functools.cache
def _bound_names() -> tuple[str, ...]:
    names = map(library().exec_bound_name, itertools.count())
    return tuple(name.decode() for name in itertools.takewhile(bool, names))


class Buffer:
    """Device memory that NumPy sees as an array."""

    def __init__(self, values: np.ndarray, label: str = "buffer") -> None:
        self.address: int = library().exec_allocate(max(values.nbytes, 1), label.encode())
        raw = (ctypes.c_uint8 * values.nbytes).from_address(self.address)
        self.array: np.ndarray = np.frombuffer(memoryview(raw), dtype=values.dtype).reshape(
            values.shape
        )
        self.array[...] = values

    @staticmethod
    def unwritten(bytes_: int, label: str) -> Buffer:
        """Memory that nobody has written to since it was allocated."""
        buffer = Buffer.__new__(Buffer)
        buffer.address = library().exec_allocate(bytes_, label.encode())
        raw = (ctypes.c_uint8 * bytes_).from_address(buffer.address)
        buffer.array = np.frombuffer(memoryview(raw), dtype=np.uint8)
        return buffer

    def free(self) -> None:
        library().exec_free(self.address)


@dataclass(frozen=True)
class DispatchResult:
    wave_instructions: int
    duration_ns: int
    simulated_ns: int  # before bounds
    bounds: Mapping[str, float]  # cycles

    @property
    def met(self) -> Optional[str]:
        """The bound that decided, because the simulation said less."""
        largest = max(self.bounds, key=lambda name: self.bounds[name])
        return largest if self.simulated_ns < self.duration_ns else None


@dataclass(frozen=True)
class Code:
    handle: int

    def run(
        self,
        kernel: str,
        grid: Union[int, Sequence[int]],
        group: Union[int, Sequence[int]],
        arguments: Sequence[Argument] = (),
        dynamic_lds: int = 0,
        private_bytes: int = 0,
        arguments_in: Optional[Buffer] = None,
    ) -> DispatchResult:
        """Dispatches a kernel; every argument takes eight bytes.

        New memory for them costs time, now and then more of it: ``arguments_in`` has some.
        """
        data = np.frombuffer(_pack(arguments), dtype=np.uint8)
        packed = arguments_in or Buffer(data, "kernel arguments")
        packed.array[: len(data)] = data
        launch = _Launch(_three(grid), _three(group), _dimensions(grid), dynamic_lds, private_bytes)
        instructions, duration = ctypes.c_uint64(), ctypes.c_uint64()
        status = library().exec_dispatch(
            self.handle,
            kernel.encode(),
            ctypes.byref(launch),
            packed.address,
            ctypes.byref(instructions),
            ctypes.byref(duration),
        )
        assert status == 0, f"no kernel {kernel}"
        if packed is not arguments_in:
            packed.free()
        lib = library()
        bounds = {name: lib.exec_bound_cycles(n) for n, name in enumerate(_bound_names())}
        simulated = lib.exec_simulated_ns()
        return DispatchResult(instructions.value, duration.value, simulated, bounds)


def _pack(arguments: Sequence[Argument]) -> bytes:
    data = b""
    for argument in arguments:
        if isinstance(argument, Buffer):
            data += argument.address.to_bytes(8, "little")
        elif isinstance(argument, float):
            data += np.float32(argument).tobytes() + bytes(4)
        else:
            data += (argument & (1 << 64) - 1).to_bytes(8, "little")
    return data or bytes(8)


def _three(size: Union[int, Sequence[int]]) -> tuple[int, int, int]:
    values = [size] if isinstance(size, int) else list(size)
    values += [1] * (3 - len(values))
    return values[0], values[1], values[2]


def _dimensions(size: Union[int, Sequence[int]]) -> int:
    return 1 if isinstance(size, int) else len(size)


def compile_kernels(
    source: str, directory: Path, language: str = "cl", flags: Sequence[str] = ()
) -> bytes:
    """The code object of kernels in OpenCL C (cl) or assembly (assembler)."""
    suffix = {"cl": "cl", "assembler": "s"}[language]
    path = directory / f"kernels.{suffix}"
    path.write_text(source)
    output = directory / "kernels.co"
    options = ["-O2", "-cl-std=CL2.0"] if language == "cl" else []
    command = [CLANG, "-x", language, *TARGET, *options, *flags, str(path), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output.read_bytes()


def load(code_object: bytes) -> Code:
    return Code(library().exec_load(code_object, len(code_object)))


def build(source: str, directory: Path, language: str = "cl", flags: Sequence[str] = ()) -> Code:
    return load(compile_kernels(source, directory, language, flags))


def assembly_kernel(
    name: str,
    body: str,
    *,
    vgprs: int = 32,
    sgprs: int = 48,
    lds: int = 0,
    private: int = 0,
    accum_offset: int = 0,
) -> str:
    """A kernel in assembly: s[0:1] is the argument pointer, s2 the workgroup, v0 the work-item."""
    return f"""
.text
.globl {name}
.p2align 8
.type {name},@function
{name}:
{body}
.section .rodata,"a"
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr {vgprs}
  .amdhsa_next_free_sgpr {sgprs}
  .amdhsa_accum_offset {accum_offset or (vgprs + 3) // 4 * 4}
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_private_segment_fixed_size {private}
.end_amdhsa_kernel
"""
