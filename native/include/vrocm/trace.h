// What the virtual HSA runtime tells a recorder: every dispatch, copy, code object, kernel, queue
// and allocation. The HIP library's tracer registers one sink; the runtime calls it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hsa/hsa.h"

extern "C" {

// All times are virtual nanoseconds of one clock (vgpu/hsa/signal/virtual_clock.h).

struct VrocmDispatchRecord {
  uint64_t dispatch_id;       // counts the dispatches of this process, from 1, as they finish
  uint64_t queue_id;
  uint64_t packet_index;      // within its queue
  hsa_agent_t agent;
  uint64_t correlation_id;    // vrocm_set_correlation at the time of the doorbell
  uint64_t kernel_object;
  uint64_t kernel_id;         // VrocmKernelRecord::kernel_id, 0 for code the loader does not know
  const char* kernel_name;    // symbol without ".kd"
  uint64_t start_ns, end_ns;
  uint32_t grid[3], workgroup[3];        // in work-items
  uint32_t group_segment_size;           // LDS bytes
  uint32_t private_segment_size;         // scratch bytes per work-item
  uint64_t wave_instructions;
  const char* counters;       // a JSON object, or null; valid during the call
  const char* thread_trace;   // a file in the folder VROCM_TRACE, or null; valid during the call
  const char* bound;          // decided how long it took; null: the simulation did
  uint64_t bound_ns, simulated_ns;   // what each said, when there is one
};

enum VrocmCopyKind : uint32_t {
  VROCM_COPY_HOST_TO_HOST, VROCM_COPY_HOST_TO_DEVICE, VROCM_COPY_DEVICE_TO_HOST,
  VROCM_COPY_DEVICE_TO_DEVICE,
};

struct VrocmCopyRecord {
  VrocmCopyKind kind;
  hsa_agent_t dst_agent, src_agent;
  const void* dst;
  const void* src;
  uint64_t bytes;
  uint64_t correlation_id;
  uint64_t start_ns, end_ns;
};

struct VrocmCodeObjectRecord {
  uint64_t code_object_id;    // from 1
  hsa_agent_t agent;
  uint64_t load_base, load_size;
  int64_t load_delta;         // load address minus ELF virtual address
  const void* elf;            // valid during the call
  size_t elf_bytes;
  const char* uri;
  bool loaded;                // false when it is unloaded
};

struct VrocmKernelRecord {
  uint64_t kernel_id;         // from 1
  uint64_t code_object_id;
  const char* name;           // symbol with ".kd", as hsa_executable_symbol_get_info returns it
  uint64_t kernel_object;
  uint32_t kernarg_size, kernarg_alignment;
  uint32_t group_segment_size, private_segment_size;
  uint32_t sgpr_count, arch_vgpr_count, accum_vgpr_count;
};

struct VrocmQueueRecord {
  uint64_t queue_id;
  hsa_agent_t agent;
  uint32_t size;              // packets
  bool created;               // false when it is destroyed
  uint64_t time_ns;
};

struct VrocmAllocationRecord {
  const void* address;
  uint64_t bytes;
  hsa_agent_t agent;          // who owns the memory
  uint64_t correlation_id;
  uint64_t time_ns;
  bool allocated;             // false when it is freed
};

// Unused members may be null. Calls come from the runtime's own threads, several at a time.
struct VrocmTraceSink {
  void* user;
  void (*on_dispatch)(void* user, const VrocmDispatchRecord* record);
  void (*on_copy)(void* user, const VrocmCopyRecord* record);
  void (*on_code_object)(void* user, const VrocmCodeObjectRecord* record);
  void (*on_kernel_symbol)(void* user, const VrocmKernelRecord* record);
  void (*on_queue)(void* user, const VrocmQueueRecord* record);
  void (*on_allocation)(void* user, const VrocmAllocationRecord* record);
};

// Replaces the sink (null: none). The sink and what it points to must outlive its use.
void vrocm_set_trace_sink(const VrocmTraceSink* sink);

// The correlation id that this thread's next packets, copies and allocations carry. It is not written
// into packets, which kernels can read; one written with a non-zero reserved2 has that instead.
void vrocm_set_correlation(uint64_t id);
uint64_t vrocm_correlation(void);

// Names this thread's following allocations in device fault reports, e.g. "hipMalloc #3".
// Null returns to the runtime's own names.
void vrocm_set_allocation_label(const char* label);

// The tables behind the exported HSA functions (hsa_api_trace.h); entries may be replaced after
// hsa_init.
struct HsaApiTable* vrocm_api_tables(void);

// Called when a wave sends the host a message (s_sendmsg of an interrupt), on the thread that runs
// the wave and before its next instruction; `event` is the wave's M0. Null: none.
void vrocm_set_message_handler(void (*handler)(uint32_t event));

// Called once after the report of a device fault, before the process ends. Null: none.
void vrocm_set_fault_handler(void (*handler)(void));

}  // extern "C"
