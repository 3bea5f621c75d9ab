"""Kernels that exchange data with other GPUs: their time is mostly that of the slowest of them."""

from __future__ import annotations

import re

# RCCL and NCCL name theirs ncclDevKernel_AllReduce_..., ncclKernel_...; RCCL also rcclGenericKernel
# and mscclKernel. Inference servers bring their own: cross_device_reduce_1stage (vLLM, AITER),
# allreduce_fusion_kernel_1stage (AITER), quickreduce::allreduce_prototype (vLLM, SGLang).
_NAME = re.compile(
    r"(?:\b|_)(?:nccl|rccl|msccl)\w*Kernel|cross_device_reduce|allreduce_fusion|"
    r"allreduce_prototype",
    re.IGNORECASE,
)


def is_collective(kernel: str) -> bool:
    return _NAME.search(kernel) is not None
