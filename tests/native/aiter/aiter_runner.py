"""Runs the kernels of a job: aiter_runner.py PREFIX JOB GIVEN FOUND."""

from __future__ import annotations

import ctypes
import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hip_module import DeviceArray, Hip

BUFFER_POINTER, BUFFER_SIZE, END = 1, 2, 3


def packed(launch: dict[str, Any], arrays: dict[str, DeviceArray]) -> bytes:
    data = b""
    for argument in launch["arguments"]:
        data += _bytes(argument, arrays, len(data))
        if launch["stride"]:
            data += bytes(-len(data) % launch["stride"])
    return data


def _bytes(argument: dict[str, Any], arrays: dict[str, DeviceArray], at: int) -> bytes:
    if argument["kind"] == "Pointer":
        array = argument["array"]
        base = (arrays[array].pointer.value or 0) + argument["offset"] if array else 0
        return bytes(-at % 8) + struct.pack("<Q", base)
    value = argument["value"]
    if isinstance(value, float):
        return struct.pack("<f", value)
    return struct.pack("<I", value & 0xFFFFFFFF)


def run(hip: Hip, launch: dict[str, Any], arrays: dict[str, DeviceArray]) -> None:
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    hip.call("hipModuleLoad", ctypes.byref(module), launch["code"].encode())
    hip.call("hipModuleGetFunction", ctypes.byref(function), module, launch["kernel"].encode())
    data = packed(launch, arrays)
    size = ctypes.c_size_t(len(data))
    extra = (ctypes.c_void_p * 5)(
        BUFFER_POINTER,
        ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p),
        BUFFER_SIZE,
        ctypes.cast(ctypes.byref(size), ctypes.c_void_p),
        END,
    )
    shape = [ctypes.c_uint(n) for n in (*launch["grid"], *launch["block"], 0)]
    hip.call("hipModuleLaunchKernel", function, *shape, None, None, extra)
    hip.call("hipDeviceSynchronize")
    hip.call("hipModuleUnload", module)


def main() -> None:
    prefix, job, given, found = map(Path, sys.argv[1:])
    hip = Hip(prefix)
    with np.load(given) as hosts:
        arrays = {name: DeviceArray(hip, hosts[name]) for name in hosts.files}
    for launch in json.loads(job.read_text()):
        run(hip, launch, arrays)
    np.savez(found, **{name: array.numpy() for name, array in arrays.items()})


if __name__ == "__main__":
    main()
