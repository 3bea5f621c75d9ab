"""The CSV files that rocprofv3 writes: what each holds, told from its header.

Headers changed between releases; a reader names a column by all the names it has had.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab.trace.files.packed import plain_name

KERNELS = "kernel_trace"
COUNTERS = "counter_collection"
AGENTS = "agent_info"
COPIES = "memory_copy_trace"
ALLOCATIONS = "memory_allocation_trace"
SCRATCH = "scratch_memory_trace"
API = "api_trace"
SAMPLES = "pc_sampling"
ROCPROFV2 = "rocprofv2"  # a row per dispatch with all its counters

# Columns that only this kind of file has, besides what all of a kind share; first match wins.
_TELLING_COLUMNS = (
    (ROCPROFV2, {"Dispatch_ID", "GPU_ID", "Kernel_Name", "LDS_Per_Workgroup", "Start_Timestamp"}),
    (COUNTERS, {"Counter_Name", "Counter_Value", "Dispatch_Id"}),
    (KERNELS, {"Kernel_Name", "Start_Timestamp", "End_Timestamp"}),
    (COPIES, {"Direction", "Start_Timestamp", "End_Timestamp"}),
    (ALLOCATIONS, {"Operation", "Allocation_Size", "Start_Timestamp"}),
    (SCRATCH, {"Operation", "Alloc_Flags", "Start_Timestamp"}),
    (API, {"Domain", "Function", "Start_Timestamp"}),
    (SAMPLES, {"Sample_Timestamp", "Exec_Mask", "Dispatch_Id", "Instruction"}),
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
    "_pc_sampling_host_trap",
    "_pc_sampling_stochastic",
)


_RESULT_SUFFIX = "_results"
_API_HEADER = "Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp"
_RESOURCES = "LDS_Block_Size Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count"
# Headers of ROCm 7, by the name of the file.
HEADERS: dict[str, tuple[str, ...]] = {
    name: tuple(columns.split())
    for name, columns in {
        "kernel_trace": "Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id "
        f"Kernel_Name Correlation_Id Start_Timestamp End_Timestamp {_RESOURCES} "
        "Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z Grid_Size_X Grid_Size_Y Grid_Size_Z",
        "counter_collection": "Correlation_Id Dispatch_Id Agent_Id Queue_Id Process_Id Thread_Id "
        f"Grid_Size Kernel_Id Kernel_Name Workgroup_Size {_RESOURCES} Counter_Name Counter_Value "
        "Start_Timestamp End_Timestamp",
        "memory_copy_trace": "Kind Direction Stream_Id Source_Agent_Id Destination_Agent_Id "
        "Correlation_Id Start_Timestamp End_Timestamp",
        "memory_allocation_trace": "Kind Operation Agent_Id Allocation_Size Address "
        "Correlation_Id Start_Timestamp End_Timestamp",
        "scratch_memory_trace": "Kind Operation Agent_Id Queue_Id Thread_Id Alloc_Flags "
        "Start_Timestamp End_Timestamp Allocation_Size",
        "marker_api_trace": _API_HEADER,
        "hip_api_trace": _API_HEADER,
        "hsa_api_trace": _API_HEADER,
        "rccl_api_trace": _API_HEADER,
        "agent_info": "Node_Id Logical_Node_Id Agent_Type Cpu_Cores_Count Simd_Count "
        "Cpu_Core_Id_Base Simd_Id_Base Max_Waves_Per_Simd Lds_Size_In_Kb Gds_Size_In_Kb Num_Gws "
        "Wave_Front_Size Num_Xcc Cu_Count Array_Count Num_Shader_Banks Simd_Arrays_Per_Engine "
        "Cu_Per_Simd_Array Simd_Per_Cu Max_Slots_Scratch_Cu Gfx_Target_Version Vendor_Id "
        "Device_Id Location_Id Domain Drm_Render_Minor Num_Sdma_Engines Num_Sdma_Xgmi_Engines "
        "Num_Sdma_Queues_Per_Engine Num_Cp_Queues Max_Engine_Clk_Ccompute "
        "Max_Engine_Clk_Fcompute Sdma_Fw_Version Fw_Version Capability Cu_Per_Engine "
        "Max_Waves_Per_Cu Family_Id Workgroup_Max_Size Grid_Max_Size Local_Mem_Size Hive_Id "
        "Gpu_Id Workgroup_Max_Dim_X Workgroup_Max_Dim_Y Workgroup_Max_Dim_Z Grid_Max_Dim_X "
        "Grid_Max_Dim_Y Grid_Max_Dim_Z Name Vendor_Name Product_Name Model_Name",
    }.items()
}


def csv_kind(header: Sequence[str]) -> Optional[str]:
    """The kind of file that has this header, None when no profiler of AMD writes such."""
    names = set(header)
    return next((kind for kind, telling in _TELLING_COLUMNS if telling <= names), None)


def process_prefix(file: Path) -> str:
    """What names the process: file name without the parts that name the content."""
    stem = Path(plain_name(file.name)).stem
    for suffix in (_RESULT_SUFFIX, *CSV_SUFFIXES):
        if stem.endswith(suffix):
            return stem[: -len(suffix)]
    return stem
