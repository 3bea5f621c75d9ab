"""Kernels that exchange data with other GPUs: their time is mostly that of the slowest of them."""

from __future__ import annotations

import re

# RCCL and NCCL name theirs ncclDevKernel_AllReduce_..., ncclKernel_...; RCCL also mscclKernel.
_NAME = re.compile(r"(?:\b|_)(?:nccl|rccl|msccl)\w*Kernel", re.IGNORECASE)


def is_collective(kernel: str) -> bool:
    return _NAME.search(kernel) is not None
