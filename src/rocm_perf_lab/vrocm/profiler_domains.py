"""What can be traced: the options of rocprofv3, the domains they select, and their groups.

A domain is a word that the virtual runtime understands in ``VROCM_TRACE_DOMAINS``.
"""

from __future__ import annotations

from collections.abc import Mapping

KERNEL = "kernel"
COPY = "copy"
ALLOCATION = "allocation"
SCRATCH = "scratch"
MARKER = "marker"
HIP_RUNTIME = "hip_runtime"
HIP_COMPILER = "hip_compiler"
HSA_CORE = "hsa_core"
HSA_AMD = "hsa_amd"
HSA_IMAGE = "hsa_image"
HSA_FINALIZER = "hsa_finalizer"

_HIP = frozenset({HIP_RUNTIME, HIP_COMPILER})
_HSA = frozenset({HSA_CORE, HSA_AMD, HSA_IMAGE, HSA_FINALIZER})
_RUNTIME = frozenset({HIP_RUNTIME, MARKER, KERNEL, COPY, ALLOCATION, SCRATCH})

# Options without the leading dashes -> what they collect. The last ones name libraries that the
# virtual ROCm does not have: a program that cannot call them leaves no record of them.
TRACE_OPTIONS: Mapping[str, frozenset[str]] = {
    "kernel-trace": frozenset({KERNEL}),
    "hip-trace": _HIP,
    "hip-runtime-trace": frozenset({HIP_RUNTIME}),
    "hip-compiler-trace": frozenset({HIP_COMPILER}),
    "hsa-trace": _HSA,
    "hsa-core-trace": frozenset({HSA_CORE}),
    "hsa-amd-trace": frozenset({HSA_AMD}),
    "hsa-image-trace": frozenset({HSA_IMAGE}),
    "hsa-finalizer-trace": frozenset({HSA_FINALIZER}),
    "memory-copy-trace": frozenset({COPY}),
    "memory-allocation-trace": frozenset({ALLOCATION}),
    "scratch-memory-trace": frozenset({SCRATCH}),
    "marker-trace": frozenset({MARKER}),
    "runtime-trace": _RUNTIME,
    "sys-trace": _RUNTIME | _HIP | _HSA,
    "rccl-trace": frozenset(),
    "rocdecode-trace": frozenset(),
    "rocjpeg-trace": frozenset(),
}

# Categories of API calls in recordings -> domains.
API_DOMAINS: Mapping[str, str] = {
    "HIP_RUNTIME_API_EXT": HIP_RUNTIME,
    "HIP_COMPILER_API_EXT": HIP_COMPILER,
    "HSA_CORE_API": HSA_CORE,
    "HSA_AMD_EXT_API": HSA_AMD,
    "HSA_IMAGE_EXT_API": HSA_IMAGE,
    "HSA_FINALIZE_EXT_API": HSA_FINALIZER,
}
