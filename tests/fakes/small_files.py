"""The smallest files of rocprofv3 (JSON), rocprofv2 (CSV) and rocprof-compute (a folder)."""

from __future__ import annotations

from typing import Any

from fakes.trace_samples import BASE

AGENT = 5600  # rocprofiler names agents by a handle, not by the node


def document() -> dict[str, Any]:
    info = {
        "agent_id": {"handle": AGENT},
        "queue_id": {"handle": 2},
        "kernel_id": 1,
        "dispatch_id": 1,
        "group_segment_size": 4096,
        "private_segment_size": 0,
        "workgroup_size": {"x": 256, "y": 1, "z": 1},
        "grid_size": {"x": 512, "y": 128, "z": 1},
    }
    times = {"start_timestamp": BASE, "end_timestamp": BASE + 700}
    correlation = {"internal": 11, "external": {"value": 0}, "ancestor": 3}
    call = {**times, "thread_id": 42, "correlation_id": correlation}
    process = {
        "metadata": {"pid": 42, "command": ["./app", "3"], "node": {"hostname": "box"}},
        "agents": [
            {"id": {"handle": 1}, "node_id": 0, "type": 1, "name": "EPYC"},
            {
                "id": {"handle": AGENT},
                "node_id": 2,
                "type": 2,
                "name": "gfx942",
                "product_name": "AMD Instinct MI300X",
                "logical_node_type_id": 0,
                "cu_count": 304,
            },
        ],
        "counters": [{"id": {"handle": 9}, "name": "SQ_WAVES"}],
        "strings": {
            "buffer_records": [
                {"kind": "NONE", "operations": []},
                {"kind": "HIP_RUNTIME_API_EXT", "operations": ["hipMemset", "hipLaunchKernel"]},
                {"kind": "MEMORY_COPY", "operations": ["MEMORY_COPY_HOST_TO_DEVICE"]},
                {"kind": "MARKER_CORE_RANGE_API", "operations": ["roctxThreadRangeA"]},
                {"kind": "MEMORY_ALLOCATION", "operations": ["MEMORY_ALLOCATION_VMEM_ALLOCATE"]},
            ],
            "marker_api": [{"key": 11, "value": "step 1"}],
        },
        "code_objects": [
            {"code_object_id": 1, "rocp_agent": {"handle": AGENT}, "uri": "file:///app"}
        ],
        "kernel_symbols": [
            {"kernel_id": 0},
            {
                "kernel_id": 1,
                "code_object_id": 1,
                "kernel_name": "_Z4gemmPf.kd",
                "formatted_kernel_name": "gemm(float*)",
                "arch_vgpr_count": 128,
                "accum_vgpr_count": 384,
                "sgpr_count": 112,
            },
        ],
        "callback_records": {
            "counter_collection": [
                {
                    "thread_id": 42,
                    "dispatch_data": {"dispatch_info": info, "correlation_id": correlation},
                    "records": [{"counter_id": {"handle": 9}, "value": v} for v in (10.0, 6.0)],
                }
            ]
        },
        "buffer_records": {
            "kernel_dispatch": [{**call, "dispatch_info": info, "stream_id": {"handle": 3}}],
            "hip_api": [{**call, "kind": 1, "operation": 1}],
            "marker_api": [{**call, "kind": 3, "operation": 0}],
            "memory_copy": [
                {
                    **call,
                    "kind": 2,
                    "operation": 0,
                    "bytes": 1024,
                    "src_agent_id": {"handle": 1},
                    "dst_agent_id": {"handle": AGENT},
                }
            ],
            "memory_allocation": [
                {
                    **call,
                    "kind": 4,
                    "operation": 0,
                    "allocation_size": 64,
                    "address": {"handle": 4096},
                    "agent_id": {"handle": AGENT},
                }
            ],
        },
    }
    return {"rocprofiler-sdk-tool": [process]}


ROCPROFV2 = (
    "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,"
    "Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,"
    "End_Timestamp,Correlation_ID,SQ_WAVES,TCC_HIT_sum\n"
    '1,4,2,77,77,1024,256,512,16,24,8,32,64,"add(float*) (.kd)",1000,1500,1,16,99.0\n'
    '2,4,2,77,77,1024,256,512,16,24,8,32,64,"add(float*) (.kd)",2000,2600,2,16,98.0\n'
)

SYSTEM = (
    "workload_name,command,hostname,gpu_model,gpu_arch,cu_per_gpu,simd_per_cu,wave_size,max_sclk,"
    "max_mclk,num_xcd\nw,./app 3,box,MI300X_A1,gfx942,304,4,64,2100,1300,8\n"
)


OLD_HEADER = (
    "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,"
    "Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,wave_size,obj,SQ_WAVES,TCC_HIT[0],TCC_HIT[1],"
    "wave_size_1,obj_1,TCC_HIT_sum,Start_Timestamp,End_Timestamp"
)


def old_row(number: int, start: int, hits: str = "3,4") -> str:
    return (
        f'{number},"k(int, int) [clone .kd]",2,1024,256,512,0,8,4,16,64,0x7f,16.0,{hits},'
        f"64,0x7f,9.0,{start},{start + 100}"
    )
