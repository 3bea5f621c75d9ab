"""libhiprtc: kernels compiled at run time, their log, names, options and bitcode."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

import pytest
from profiler_support import BUILD

RUNTIME = BUILD / "lib"
pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(
        not (RUNTIME / "libhiprtc.so.7").exists(), reason="HIP is not built (run `make native`)"
    ),
]
INVALID_INPUT, INVALID_PROGRAM, COMPILATION = 3, 4, 6
TOO_LATE, TOO_EARLY, NOT_VALID = 8, 9, 10
BITCODE = 100
SOURCE = """
#include "scale.h"
namespace deep { __device__ int offset = 3; }
template <typename T> __global__ void scale(T* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = SCALE * data[i] + deep::offset + warpSize;
}
#ifndef __HIPCC_RTC__
#error this is no run-time compilation
#endif
"""
NAMES = (b"scale<float>", b"&deep::offset", b"scale<unsigned long>")


class Program:
    def __init__(self, rtc: ctypes.CDLL, source: str, *headers: tuple[str, str]) -> None:
        self.rtc = rtc
        self.handle = ctypes.c_void_p()
        texts = (ctypes.c_char_p * len(headers))(*(text.encode() for _, text in headers))
        names = (ctypes.c_char_p * len(headers))(*(name.encode() for name, _ in headers))
        arguments = (source.encode(), b"kernels.cu", len(headers), texts, names)
        self.made = rtc.hiprtcCreateProgram(ctypes.byref(self.handle), *arguments)

    def compile(self, *options: str) -> int:
        words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        return int(self.rtc.hiprtcCompileProgram(self.handle, len(options), words))

    def bytes_of(self, what: str) -> bytes:
        size = ctypes.c_size_t()
        assert self.rtc[f"hiprtcGet{what}Size"](self.handle, ctypes.byref(size)) == 0
        data = ctypes.create_string_buffer(size.value)
        assert self.rtc[f"hiprtcGet{what}"](self.handle, data) == 0
        return data.raw

    def lowered(self, name: bytes) -> tuple[int, Optional[bytes]]:
        found = ctypes.c_char_p()
        status = self.rtc.hiprtcGetLoweredName(self.handle, name, ctypes.byref(found))
        return status, found.value


@pytest.fixture
def rtc(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> ctypes.CDLL:
    monkeypatch.setenv("ROCM_PATH", str(prefix))  # there is no compiler beside the built library
    return ctypes.CDLL(str(RUNTIME / "libhiprtc.so.7"))


def launched(code: bytes, kernel: bytes, data: Sequence[float]) -> list[float]:
    """What the kernel makes of the data, through the runtime's modules."""
    hip = ctypes.CDLL(str(RUNTIME / "libamdhip64.so.7"))
    module, function, memory = (ctypes.c_void_p() for _ in range(3))
    values = (ctypes.c_float * len(data))(*data)
    assert hip.hipModuleLoadData(ctypes.byref(module), code) == 0
    assert hip.hipModuleGetFunction(ctypes.byref(function), module, kernel) == 0
    assert hip.hipMalloc(ctypes.byref(memory), ctypes.c_size_t(ctypes.sizeof(values))) == 0
    size = ctypes.c_size_t(ctypes.sizeof(values))
    assert hip.hipMemcpy(memory, values, size, 1) == 0
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    words = (1, 1, 1, len(data), 1, 1, 0, None, arguments, None)
    assert hip.hipModuleLaunchKernel(function, *words) == 0
    assert hip.hipMemcpy(values, memory, size, 2) == 0
    return list(values)


def test_a_program_is_compiled_named_and_launched(rtc: ctypes.CDLL) -> None:
    program = Program(rtc, SOURCE, ("scale.h", "#define SCALE FACTOR\n"))
    assert program.made == 0
    for name in NAMES:
        assert rtc.hiprtcAddNameExpression(program.handle, name) == 0
    assert program.lowered(NAMES[0]) == (TOO_EARLY, None)
    assert program.compile("-DFACTOR=2", "--gpu-architecture=gfx942", "-std=c++14") == 0
    assert program.bytes_of("ProgramLog") == b"\0"
    assert [program.lowered(name) for name in NAMES] == [
        (0, b"_Z5scaleIfEvPT_"),
        (0, b"_ZN4deep6offsetE"),
        (0, b"_Z5scaleImEvPT_"),
    ]
    assert program.lowered(b"scale<int>") == (NOT_VALID, None)
    assert rtc.hiprtcAddNameExpression(program.handle, b"scale<int>") == TOO_LATE
    code = program.bytes_of("Code")
    assert code.startswith(b"\x7fELF")
    assert launched(code, b"_Z5scaleIfEvPT_", [0, 1, 10]) == [67, 69, 87]
    assert rtc.hiprtcDestroyProgram(ctypes.byref(program.handle)) == 0
    assert program.handle.value is None


def test_the_log_has_the_errors_under_the_users_names(
    rtc: ctypes.CDLL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program = Program(rtc, "__global__ void k(int* a) { *a = unknown; }")
    assert program.compile() == COMPILATION
    log = program.bytes_of("ProgramLog").decode()
    assert log.startswith("kernels.cu:1:34: error: use of undeclared identifier 'unknown'")
    assert program.bytes_of("Code") == b""
    assert os.listdir(tmp_path) == []


def test_bitcode_of_two_programs_is_linked(rtc: ctypes.CDLL) -> None:
    link = ctypes.c_void_p()
    assert rtc.hiprtcLinkCreate(0, None, None, ctypes.byref(link)) == 0
    for source in (
        "__device__ float half_of(float);"
        'extern "C" __global__ void k(float* a) { a[threadIdx.x] = half_of(a[threadIdx.x]); }',
        "__device__ float half_of(float x) { return x / 2; }",
    ):
        program = Program(rtc, source)
        assert program.compile("-fgpu-rdc") == 0, program.bytes_of("ProgramLog")
        data = program.bytes_of("Bitcode")
        assert data.startswith(b"BC")
        words = (data, ctypes.c_size_t(len(data)), b"part", 0, None, None)
        assert rtc.hiprtcLinkAddData(link, BITCODE, *words) == 0
    assert rtc.hiprtcLinkAddData(link, 1, *words) == INVALID_INPUT  # PTX
    code, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert rtc.hiprtcLinkComplete(link, ctypes.byref(code), ctypes.byref(size)) == 0
    linked = ctypes.string_at(code.value or 0, size.value)
    assert launched(linked, b"k", [5, 8]) == [2.5, 4]
    assert rtc.hiprtcLinkDestroy(link) == 0


def test_wrong_arguments(rtc: ctypes.CDLL) -> None:
    assert rtc.hiprtcCreateProgram(None, b"", None, 0, None, None) == INVALID_PROGRAM
    for name in ("../outside.h", "/outside.h"):
        assert Program(rtc, "", (name, "")).made == INVALID_INPUT
    program = Program(rtc, "")
    assert rtc.hiprtcGetCodeSize(program.handle, None) == INVALID_INPUT
    assert (
        rtc.hiprtcGetBitcodeSize(program.handle, ctypes.byref(ctypes.c_size_t())) == INVALID_PROGRAM
    )
    rtc.hiprtcGetErrorString.restype = ctypes.c_char_p
    assert rtc.hiprtcGetErrorString(COMPILATION) == b"HIPRTC_ERROR_COMPILATION"
    assert rtc.hiprtcGetErrorString(77) == b"Invalid HIPRTC error code"


def test_without_a_compiler_the_log_has_the_next_step(
    rtc: ctypes.CDLL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    program = Program(rtc, SOURCE)
    assert program.compile() == COMPILATION
    assert b"next: set ROCM_PATH" in program.bytes_of("ProgramLog")
