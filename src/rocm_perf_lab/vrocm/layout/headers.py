"""The headers of the prefix: ours, and ROCm's names of inner ones."""

from __future__ import annotations

import shutil
from pathlib import Path

HEADERS = ("hip", "hsa", "roctracer", "rocprofiler-sdk-roctx")
# ROCm's names of inner headers that libraries include, and our public header with the same content.
INNER_HEADERS = {
    "amd_channel_descriptor.h": "channel_descriptor.h",
    "amd_device_functions.h": "hip_runtime.h",
    "amd_hip_atomic.h": "hip_runtime.h",
    "amd_hip_bf16.h": "hip_bf16.h",
    "amd_hip_bfloat16.h": "hip_bfloat16.h",
    "amd_hip_common.h": "hip_common.h",
    "amd_hip_complex.h": "hip_complex.h",
    "amd_hip_cooperative_groups.h": "hip_cooperative_groups.h",
    "amd_hip_fp16.h": "hip_fp16.h",
    "amd_hip_fp8.h": "hip_fp8.h",
    "amd_hip_math_constants.h": "hip_math_constants.h",
    "amd_hip_runtime.h": "hip_runtime.h",
    "amd_hip_runtime_pt_api.h": "hip_runtime_api.h",
    "amd_hip_unsafe_atomics.h": "hip_runtime.h",
    "amd_hip_vector_types.h": "hip_vector_types.h",
    "amd_math_functions.h": "math_functions.h",
    "amd_warp_functions.h": "hip_runtime.h",
    "amd_warp_sync_functions.h": "hip_runtime.h",
    "device_library_decls.h": "hip_runtime.h",
    "hip_ldg.h": "hip_runtime.h",
    "texture_fetch_functions.h": "hip_runtime.h",
    "texture_indirect_functions.h": "hip_runtime.h",
}


def put_headers(sources: Path, to: Path) -> None:
    for name in HEADERS:
        if (sources / name).is_dir():
            shutil.copytree(sources / name, to / name)
    for name, public in INNER_HEADERS.items():
        (to / "hip" / "amd_detail" / name).write_text(f"#pragma once\n#include <hip/{public}>\n")
