"""AMDGPU code objects: ELF notes, kernel descriptors and fat binaries."""

from __future__ import annotations

from rocm_perf_lab.codeobject.descriptor import KernelDescriptor
from rocm_perf_lab.codeobject.model import CodeObjectFile, KernelInfo
from rocm_perf_lab.codeobject.notes import KernelArgument
from rocm_perf_lab.codeobject.reader import read_code_objects

__all__ = [
    "CodeObjectFile",
    "KernelArgument",
    "KernelDescriptor",
    "KernelInfo",
    "read_code_objects",
]
