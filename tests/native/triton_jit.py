"""For programs that launch kernels by Triton's own JIT, without PyTorch."""

from __future__ import annotations

import ctypes

import numpy as np
import triton
from triton.backends.amd.driver import HIPDriver, HIPLauncher, HIPUtils

TO_DEVICE, TO_HOST = 1, 2


class Driver(HIPDriver):
    """``HIPDriver`` asks PyTorch for what is one GPU with its first stream here."""

    def __init__(self) -> None:
        self.utils, self.launcher_cls = HIPUtils(), HIPLauncher

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0


class Array:
    """Memory of the device, as Triton takes it; the runtime is found by its name."""

    def __init__(self, host: np.ndarray) -> None:
        self._hip = ctypes.CDLL("libamdhip64.so")
        self._host = np.ascontiguousarray(host)
        self._pointer = ctypes.c_void_p()
        self.dtype = str(host.dtype)
        size = ctypes.c_size_t(self._host.nbytes)
        assert self._hip.hipMalloc(ctypes.byref(self._pointer), size) == 0
        self._copy(self._pointer, self._host.ctypes.data_as(ctypes.c_void_p), TO_DEVICE)

    def data_ptr(self) -> int:
        return int(self._pointer.value or 0)

    def numpy(self) -> np.ndarray:
        self._copy(self._host.ctypes.data_as(ctypes.c_void_p), self._pointer, TO_HOST)
        return self._host

    def _copy(self, target: ctypes.c_void_p, source: ctypes.c_void_p, kind: int) -> None:
        assert self._hip.hipMemcpy(target, source, ctypes.c_size_t(self._host.nbytes), kind) == 0


def use_driver() -> None:
    triton.runtime.driver.set_active(Driver())
