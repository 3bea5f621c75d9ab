"""What can be traced: the options of rocprofv3, the domains they select, and their groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

KERNEL = "kernel"
COPY = "copy"
ALLOCATION = "allocation"
SCRATCH = "scratch"
MARKER = "marker"
HIP_RUNTIME = "HIP_RUNTIME_API_EXT"  # API domains are called as their calls in a recording are
HIP_COMPILER = "HIP_COMPILER_API_EXT"
HSA_CORE = "HSA_CORE_API"
HSA_AMD = "HSA_AMD_EXT_API"
HSA_IMAGE = "HSA_IMAGE_EXT_API"
HSA_FINALIZER = "HSA_FINALIZE_EXT_API"

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

# Beginnings of function names -> API domains; the first match counts.
_FUNCTIONS = (
    ("__hip", HIP_COMPILER),
    ("hip", HIP_RUNTIME),
    ("hsa_amd_", HSA_AMD),
    ("hsa_ext_image_", HSA_IMAGE),
    ("hsa_ext_sampler_", HSA_IMAGE),
    ("hsa_ext_program_", HSA_FINALIZER),
    ("hsa_", HSA_CORE),
)
# The words of VROCM_TRACE_DOMAINS (native/vgpu/hip/record/recorder.h) for domains without an API.
# Scratch belongs to the executing wave on the virtual device: nothing ever allocates it.
_RECORDER_WORDS = {KERNEL: "kernel", COPY: "copy", ALLOCATION: "alloc", MARKER: "marker"}


def api_domain(function: str) -> str:
    """The domain that a call of this function belongs to."""
    return next((d for start, d in _FUNCTIONS if function.startswith(start)), HIP_RUNTIME)


def recorder_words(domains: Iterable[str]) -> str:
    """The value of VROCM_TRACE_DOMAINS that makes the runtime record all of the domains."""
    words = set()
    for domain in domains:
        if domain in _HIP:
            words.add("hip")
        elif domain in _HSA:
            words.add("hsa")
        elif domain in _RECORDER_WORDS:
            words.add(_RECORDER_WORDS[domain])
    return ",".join(sorted(words))
