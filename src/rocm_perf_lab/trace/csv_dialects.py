"""The CSV files that rocprofv3 writes: what each holds, told from its header.

Headers changed between releases; a reader names a column by all the names it has had.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

KERNELS = "kernel_trace"
COUNTERS = "counter_collection"
AGENTS = "agent_info"
COPIES = "memory_copy_trace"
ALLOCATIONS = "memory_allocation_trace"
SCRATCH = "scratch_memory_trace"
API = "api_trace"

# Columns that only this kind of file has, besides what all of a kind share; first match wins.
_TELLING_COLUMNS = (
    (COUNTERS, {"Counter_Name", "Counter_Value", "Dispatch_Id"}),
    (KERNELS, {"Kernel_Name", "Start_Timestamp", "End_Timestamp"}),
    (COPIES, {"Direction", "Start_Timestamp", "End_Timestamp"}),
    (ALLOCATIONS, {"Operation", "Allocation_Size", "Start_Timestamp"}),
    (SCRATCH, {"Operation", "Alloc_Flags", "Start_Timestamp"}),
    (API, {"Domain", "Function", "Start_Timestamp"}),
    (AGENTS, {"Node_Id", "Agent_Type"}),
)

# Endings of file names without the extension; what stands before them names the process.
CSV_SUFFIXES = (
    "_kernel_trace",
    "_counter_collection",
    "_agent_info",
    "_memory_copy_trace",
    "_memory_allocation_trace",
    "_scratch_memory_trace",
    "_hip_api_trace",
    "_hsa_api_trace",
    "_marker_api_trace",
    "_rccl_api_trace",
    "_rocdecode_api_trace",
    "_rocjpeg_api_trace",
)


def csv_kind(header: Sequence[str]) -> Optional[str]:
    """The kind of file that has this header, None when rocprofv3 writes none such."""
    names = set(header)
    return next((kind for kind, telling in _TELLING_COLUMNS if telling <= names), None)
