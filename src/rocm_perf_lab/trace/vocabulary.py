"""Words of rocprofiler that more than one format uses, and how they map onto the Trace."""

from __future__ import annotations

import re
from typing import Optional

_DESCRIPTOR = re.compile(r"(?: (?:\[clone \.kd\]|\(\.kd\))|\.kd)$")  # as demanglers show it
NAME_NOT_RECORDED = "<name not recorded>"

_MARKER_CATEGORY = "MARKER_CORE"  # ranges and marks; CONTROL and NAME calls carry no text
_SCRATCH, _VIRTUAL = "SCRATCH_MEMORY_", "VMEM_"
_OPERATION_PREFIXES = ("MEMORY_ALLOCATION_", _SCRATCH, _VIRTUAL)
# Names of operations in CSV and JSON -> names that databases use.
_OPERATIONS = {"ALLOCATE": "ALLOC", "ASYNC_RECLAIM": "RECLAIM"}


def is_marker(category: str) -> bool:
    """Whether a call of this category is a ROCTx range or mark."""
    return category.startswith(_MARKER_CATEGORY)


def allocation_names(operation: str) -> tuple[str, str]:
    """(operation, level) as databases have them, from MEMORY_ALLOCATION_VMEM_ALLOCATE and such."""
    level = "SCRATCH" if operation.startswith(_SCRATCH) else "REAL"
    for prefix in _OPERATION_PREFIXES:
        if operation.startswith(prefix):
            operation = operation[len(prefix) :]
            level = "VIRTUAL" if prefix == _VIRTUAL else level
    return _OPERATIONS.get(operation, operation), level


def allocation_record(operation: str, level: str) -> tuple[str, str]:
    """(kind, operation) as CSV and JSON have them: the way back from ``allocation_names``."""
    if level == "SCRATCH":
        operation = {"RECLAIM": "ASYNC_RECLAIM"}.get(operation, operation)
        return "SCRATCH_MEMORY", f"{_SCRATCH}{operation}"
    operation = {"ALLOC": "ALLOCATE"}.get(operation, operation)
    virtual = _VIRTUAL if level == "VIRTUAL" else ""
    return "MEMORY_ALLOCATION", f"MEMORY_ALLOCATION_{virtual}{operation}"


def readable_symbol(symbol: Optional[str]) -> Optional[str]:
    """The kernel's name where a recording has that of its descriptor: "k.kd", "k() [clone .kd]"."""
    return _DESCRIPTOR.sub("", symbol) if symbol and ".kd" in symbol else symbol


def unnamed_kernel(kernel_id: int) -> str:
    return f"<kernel {kernel_id}: name not recorded>"
