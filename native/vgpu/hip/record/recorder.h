// Writes what happens in this process to a file, when VROCM_TRACE names a folder. The rocprofv3
// front end starts a program with that variable set and turns the files into a recording.
//
// Every process that uses HIP writes <folder>/<pid>.jsonl. While it runs the file is called
// <pid>.jsonl.part; at a normal exit, and after a device fault, it is renamed. A process that is
// killed leaves the .part file, good up to its last complete line. A program that takes the place of
// another (exec) writes <pid>.2.jsonl.
//
// VROCM_TRACE_DOMAINS chooses, comma-separated: kernel (dispatches, fills), hip (calls of the HIP
// runtime), hsa (calls to HSA, from HIP or the program, without arguments), copy, alloc, marker.
// Unset: kernel.
// Process, agents, queues, streams, code objects, kernels and end are always written.
//
// One JSON object per line; "record" says what it is. Times are virtual nanoseconds of one clock,
// addresses and handles are numbers, agents are the "id" of their agent record, "stream" is 0 for
// a device's default stream. "correlation" is the "id" of the outermost HIP call that caused the
// operation (also when calls are not recorded), 0 for none; "tid" is the thread of that call.
// Every record but "agent" ends with real_ns, when it was written, on the machine's monotonic clock:
// it tells what of several processes came first. Everything else is the same in every run.
// Readers must ignore keys and records that they do not know.
//
//   process      format (1), pid, ppid, ancestors [ppid, its parent, ...], tid, command [argv...],
//                start_ns, virtual (true), domains [...]
//   agent        id (KFD node id), handle, type "CPU"|"GPU", type_index (GPU 0 is HIP's device 0
//                unless HIP_VISIBLE_DEVICES reorders), name "gfx942", product_name, vendor_name,
//                model_name, uuid, properties {...}: the members of rocprofiler_agent_v0_t by
//                their names: cu_count, num_xcc, simd_count, simd_per_cu, max_waves_per_simd,
//                max_waves_per_cu, wave_front_size, lds_size_in_kb, array_count,
//                num_shader_banks, simd_arrays_per_engine, cu_per_simd_array, cu_per_engine,
//                max_slots_scratch_cu, gfx_target_version 90402, max_engine_clk_fcompute,
//                max_engine_clk_ccompute, vendor_id, device_id, location_id, domain, family_id,
//                num_sdma_engines, num_sdma_xgmi_engines, num_cp_queues, workgroup_max_size,
//                workgroup_max_dim {x,y,z}, grid_max_size, grid_max_dim {x,y,z},
//                fw_version {uCode}, sdma_fw_version {uCodeSDMA}, node_id, cpu_cores_count,
//                mem_banks [{heap_type, width, mem_clk_max, size_in_bytes}],
//                caches [{level, size (KiB), cache_line_size, count}] (one entry per kind)
//   queue        id, agent, size (packets), created (false: destroyed), time_ns
//   stream       id, handle, device (HIP index), flags, priority
//   code_object  id, agent, uri, load_base, load_size, load_delta, loaded (false: unloaded), file
//                with VROCM_THREAD_TRACE: a copy of the ELF in the folder
//   kernel       id, code_object, name (mangled, with ".kd"), demangled (without ".kd"),
//                kernel_object, kernarg_size, kernarg_alignment, group_segment_size,
//                private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count
//   dispatch     id (from 1), kernel, name (symbol without ".kd"), agent, queue, stream, tid,
//                correlation, start_ns, end_ns, grid [x,y,z] and workgroup [x,y,z] in work-items,
//                group_segment_size (with dynamic LDS), private_segment_size, wave_instructions,
//                counters {name: value} with VROCM_COUNTERS=1: the hardware's own counters, summed
//                over all of their instances; what the model does not have is absent,
//                thread_trace with VROCM_THREAD_TRACE: a file in the folder, if this one was traced
//                (device/thread_trace/thread_trace_file.h),
//                bound, bound_ns and simulated_ns when a bound decided how long it took
//                (model/bounds/bounds.h) because the simulation said less
//   fill         agent, stream, tid, correlation, start_ns, end_ns, address, bytes: a memset,
//                which real ROCm runs as the kernel __amd_rocclr_fillBufferAligned
//   copy         kind "HOST_TO_HOST"|"HOST_TO_DEVICE"|"DEVICE_TO_HOST"|"DEVICE_TO_DEVICE",
//                dst_agent, src_agent, dst_address, src_address, bytes, stream, tid, correlation,
//                start_ns, end_ns
//   allocation   operation "ALLOC"|"FREE", agent, address, bytes, tid, correlation, time_ns
//   api          domain "hip"|"hsa", name, id, parent (id of the enclosing call or 0), tid,
//                start_ns, end_ns, status (what it returned), args [{name, type, value}] with
//                values as text
//   marker       kind "range" (push/pop), "process_range" (start/stop) or "mark"
//                (start_ns == end_ns), message, id, tid, start_ns, end_ns. A range that is open
//                at exit ends there.
//   profiler     action "pause"|"resume", time_ns (roctxProfilerPause / Resume)
//   end          end_ns: the last line of a complete file
//
// Records appear when they are complete, so not in the order of their start.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hip/core/api.h"

namespace vgpu::hip {

// Whether anything is recorded, and whether this domain is. Cheap: asked in every call.
bool recording();
bool recording(const char* domain);

void record_agent(hsa_agent_t agent, unsigned type_index);
void record_api(const char* domain, const char* name, uint64_t id, uint64_t parent,
                uint64_t start_ns, uint64_t end_ns, int status,
                const std::vector<ApiArgument>& arguments);
void record_fill(const void* address, uint64_t bytes, hsa_agent_t agent, uint64_t start_ns,
                 uint64_t end_ns);
void record_stream(uint64_t stream_id, const void* handle, int device, unsigned flags,
                   int priority);
// Which stream the operation with this correlation id was given to, by the calling thread.
void record_stream_use(uint64_t correlation, uint64_t stream_id);

struct MarkerRecord {
  const char* kind;
  std::string message;
  uint64_t id, start_ns, end_ns;
  long thread;
};
void record_marker(const MarkerRecord& marker);
void record_profiler(const char* action);

// Gives the file its final name. Nothing is recorded afterwards.
void finish_recording();

}  // namespace vgpu::hip
