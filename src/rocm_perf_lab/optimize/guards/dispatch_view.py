"""What of its own launch a kernel asks to see: registers that the launcher sets, hidden arguments.

Results follow from arguments, sizes of the launch and memory. Packet, queue and number of a
dispatch differ between an application and a replay, and between one launch and the next; a version
that begins to look at them can only tell those apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocm_perf_lab.codeobject import KernelInfo

# Bits of the descriptor's properties (LLVM's AMDGPU usage guide).
_REGISTERS = {1: "dispatch_ptr", 2: "queue_ptr", 4: "dispatch_id"}
# Sizes of the launch, and where generic pointers to LDS and private memory begin.
_HARMLESS = re.compile(
    r"hidden_(?:block_count_[xyz]|group_size_[xyz]|remainder_[xyz]|global_offset_[xyz]|grid_dims|"
    r"none|dynamic_lds_size|private_base|shared_base)$"
)
_HOST_CALLS = frozenset(
    {
        "hidden_hostcall_buffer",
        "hidden_printf_buffer",
        "hidden_heap_v1",
        "hidden_default_queue",
        "hidden_completion_action",
        "hidden_multigrid_sync_arg",
    }
)


def new_views(before: KernelInfo, after: KernelInfo) -> Iterator[tuple[str, str]]:
    """Reason and message of each thing that ``after`` sees and ``before`` does not."""
    had = {argument.value_kind for argument in before.arguments}
    for kind in sorted({a.value_kind for a in after.arguments if a.is_hidden} - had):
        if kind in _HOST_CALLS:
            yield "host-calls", f"it asks for {kind}: it prints, allocates or calls the host"
        elif not _HARMLESS.match(kind):
            yield "dispatch", f"it asks for {kind}, which tells launches apart"
    for name in sorted(_registers(after) - _registers(before)):
        yield "dispatch", f"it asks for {name}, which tells launches apart"


def _registers(kernel: KernelInfo) -> frozenset[str]:
    if kernel.descriptor is None:
        return frozenset()
    properties = kernel.descriptor.properties
    return frozenset(name for bit, name in _REGISTERS.items() if properties >> bit & 1)
