"""Hardware facts as data files, one per gfx target, and the functions that read them."""

from __future__ import annotations

from rocm_perf_lab.arch.device import (
    DeviceFacts,
    device_facts,
    memory_bandwidth,
    peak_flops,
    theoretical_peak_flops,
)
from rocm_perf_lab.arch.fact import Disagreement, Fact
from rocm_perf_lab.arch.identify import candidate_products, identify_product
from rocm_perf_lab.arch.product import Product
from rocm_perf_lab.arch.target import Target, VgprFile, known_targets, load_target

__all__ = [
    "DeviceFacts",
    "Disagreement",
    "Fact",
    "Product",
    "Target",
    "VgprFile",
    "candidate_products",
    "device_facts",
    "identify_product",
    "known_targets",
    "load_target",
    "memory_bandwidth",
    "peak_flops",
    "theoretical_peak_flops",
]
