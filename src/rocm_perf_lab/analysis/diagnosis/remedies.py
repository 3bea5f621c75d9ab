"""What to try against what a mechanism costs: one sentence each, and the advice of other rooms that
means the same change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Remedy:
    what: str
    mends: tuple[str, ...]  # as advice is named that takes the mechanism away; the nearest first
    least_launches: int = 1  # of the kernel: with fewer, no source change takes it away


REMEDIES: Mapping[str, Remedy] = {
    "launch": Remedy(
        "Launch less often: several steps, or several small kernels, in one launch.",
        ("fuse", "ahead", "beside"),
        least_launches=2,
    ),
    "wave-launch": Remedy(
        "Start fewer waves: several items for each work-item in a loop, and full workgroups.",
        ("lanes", "workgroups"),
    ),
    "hbm": Remedy(
        "Move fewer bytes: read each value once, keep it in registers or LDS, use narrower types.",
        ("traffic", "narrower"),
    ),
    "infinity-cache": Remedy(
        "Ask for fewer bytes beyond L2: tiles that L2 or LDS holds, each value read once.",
        ("traffic", "coalesce"),
    ),
    "links": Remedy(
        "Keep the data in the memory of the GPU: copy them once instead of reading them over the "
        "link.",
        ("copies",),
    ),
    "l2": Remedy(
        "Ask L2 less often: tiles in LDS or registers, neighbouring lanes on neighbouring bytes.",
        ("traffic", "coalesce", "wider"),
    ),
    "l1": Remedy(
        "Make fewer and wider accesses: 16 bytes per work-item, neighbouring lanes on neighbouring "
        "bytes, values that are used again in registers.",
        ("wider", "coalesce", "traffic"),
    ),
    "memory-latency": Remedy(
        "Keep more loads in flight: ask for the next pieces before this one is used, and unroll by "
        "independent loads.",
        ("in-flight", "wider"),
    ),
    "tlb": Remedy(
        "Touch fewer pages at a time: data that are used together beside each other, smaller "
        "strides.",
        ("coalesce", "traffic"),
    ),
    "coalescing": Remedy(
        "Let neighbouring lanes access neighbouring bytes: exchange the loops, turn the array, or "
        "go through LDS.",
        ("coalesce",),
    ),
    "lds-conflicts": Remedy(
        "Pad the rows of the shared array by one element, or permute its columns, so that the "
        "lanes of a wave hit different banks.",
        ("conflicts",),
    ),
    "lds": Remedy(
        "Use LDS less: values in registers, larger tiles per work-item, wider accesses "
        "(ds_read_b128), exchange inside the wave.",
        ("lds-traffic", "conflicts", "independent"),
    ),
    "atomics": Remedy(
        "Combine before the atomic: in the wave or in LDS, then one atomic for each workgroup, or "
        "several copies of the result.",
        ("atomics",),
    ),
    "barriers": Remedy(
        "Wait for other waves less often: fewer barriers, smaller workgroups, order within the "
        "wave where no other wave is concerned.",
        ("barriers",),
    ),
    "spills": Remedy(
        "Keep private values in registers: arrays with known indices, shorter live ranges, "
        "__launch_bounds__.",
        ("spills",),
    ),
    "occupancy": Remedy(
        "Let a CU hold more waves: fewer registers or less LDS per workgroup.",
        ("registers", "lds-room"),
    ),
    "grid": Remedy(
        "Spread the work over all CUs: more and smaller workgroups, pieces of equal work, or the "
        "next piece from a counter.",
        ("workgroups", "uneven"),
    ),
    "valu": Remedy(
        "Do less vector arithmetic: fewer or narrower instructions, work that lanes share done "
        "once, all lanes active, matrix units for products.",
        ("instructions", "narrower", "divergence", "lanes", "matrix"),
    ),
    "transcendental": Remedy(
        "Call fewer functions: float instead of double, __expf and the like, a polynomial, one "
        "reciprocal instead of divisions.",
        ("instructions", "narrower"),
    ),
    "mfma": Remedy(
        "Make the products cheaper: a narrower type, or larger shapes of matrix instructions.",
        ("narrower",),
    ),
    "scalar": Remedy(
        "Take fewer branches and scalar steps: unroll short loops, lift what does not change out "
        "of them.",
        ("instructions", "divergence"),
    ),
    "instruction-cache": Remedy(
        "Make the code shorter: less unrolling and inlining, one loop instead of copies of it.",
        ("instructions",),
    ),
    "dependencies": Remedy(
        "Give each wave independent steps: several accumulators or several items at once.",
        ("independent",),
    ),
}
