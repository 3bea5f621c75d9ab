"""The HIP module API from Python, as a just-in-time compiler's launcher uses it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Union

import numpy as np

TO_DEVICE, TO_HOST = 1, 2
Argument = Union["DeviceArray", int, float]


class Hip:
    """libamdhip64 of a prefix; every call that fails raises with HIP's own words."""

    def __init__(self, prefix: Path) -> None:
        self._library = ctypes.CDLL(str(prefix / "lib" / "libamdhip64.so"))
        self._library.hipGetErrorString.restype = ctypes.c_char_p

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, name)(*arguments)
        if status != 0:
            text = self._library.hipGetErrorString(status).decode()
            raise RuntimeError(f"{name}: {text}")


class DeviceArray:
    def __init__(self, hip: Hip, host: np.ndarray) -> None:
        self._hip = hip
        self._host = np.ascontiguousarray(host)
        self.pointer = ctypes.c_void_p()
        hip.call("hipMalloc", ctypes.byref(self.pointer), ctypes.c_size_t(self._host.nbytes))
        self._copy(self.pointer, self._host.ctypes.data_as(ctypes.c_void_p), TO_DEVICE)

    def numpy(self) -> np.ndarray:
        result = np.empty_like(self._host)
        self._copy(result.ctypes.data_as(ctypes.c_void_p), self.pointer, TO_HOST)
        return result

    def _copy(self, target: ctypes.c_void_p, source: ctypes.c_void_p, kind: int) -> None:
        self._hip.call("hipMemcpy", target, source, ctypes.c_size_t(self._host.nbytes), kind)


def launch(
    hip: Hip,
    code: bytes,
    kernel: str,
    grid: Sequence[int],
    threads: int,
    shared: int,
    arguments: Sequence[Argument],
) -> None:
    """Loads the code object, runs the kernel once and waits for it."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    hip.call("hipModuleLoadData", ctypes.byref(module), code)
    hip.call("hipModuleGetFunction", ctypes.byref(function), module, kernel.encode())
    values = [_value(argument) for argument in arguments]
    pointers = (ctypes.c_void_p * len(values))(
        *(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values)
    )
    x, y, z = (*grid, 1, 1)[:3]
    hip.call(
        "hipModuleLaunchKernel", function, x, y, z, threads, 1, 1, shared, None, pointers, None
    )
    hip.call("hipDeviceSynchronize")
    hip.call("hipModuleUnload", module)


def _value(argument: Argument) -> ctypes._SimpleCData:
    if isinstance(argument, DeviceArray):
        return argument.pointer
    if isinstance(argument, float):
        return ctypes.c_float(argument)
    return ctypes.c_int32(argument)
