// The door into the device for the HSA runtime: run one dispatch; know which memory it may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vgpu {

// --- Memory -----------------------------------------------------------------------------------

enum class MemoryKind : uint8_t { Device, Host, Code };

// Makes [base, base + bytes) accessible to the device (idempotent per base). `label` names the
// allocation in fault reports, e.g. "hipMalloc #3". Thread-safe against running dispatches.
void map_memory(uint64_t base, size_t bytes, MemoryKind kind, const std::string& label);
void unmap_memory(uint64_t base);
bool memory_accessible(uint64_t address, size_t bytes);

// --- Code -------------------------------------------------------------------------------------

// Registers executable code so that it is decoded once and can be named in reports. `base` is where
// address 0 of `elf` was loaded. The ELF may be null and is copied; its DWARF line table gives
// reports their source lines. The memory itself is mapped separately.
void register_code(uint64_t base, size_t bytes, const void* elf, size_t elf_bytes);
void unregister_code(uint64_t base);

// --- Dispatch ---------------------------------------------------------------------------------

struct DispatchRequest {
  const void* packet;          // the 64-byte AQL kernel dispatch packet, where dispatch_ptr points
  uint64_t queue_address;      // amd_queue_t, for queue_ptr
  uint64_t dispatch_id;
  uint64_t kernel_object;      // address of the 64-byte kernel descriptor
  const char* kernel_name;     // demangled or mangled, for reports
};

struct DispatchResult {
  uint64_t wave_instructions;  // executed, all classes
  uint64_t duration_ns;        // modelled, not host time
  double device_share;         // of the room that all CUs together have for its workgroups
  std::string counters;        // a JSON object by counter name; empty unless VROCM_COUNTERS=1
  std::string thread_trace;    // file beside the recording; empty unless there is one
};

// Runs the dispatch to its end, on this and the worker threads. A device fault prints its report
// to stderr and aborts the process, as ROCr does. Several calls may run at the same time.
DispatchResult run_dispatch(const DispatchRequest& request);

// Called on a host thread when a wave sends MSG_INTERRUPT (hostcall: printf, assert, malloc);
// `event` is the wave's M0. Null takes the handler away. Without one, hosts have to poll.
void set_interrupt_handler(void (*handler)(uint32_t event));

// Called once after the report of a fault, before the process ends: the last chance to print what
// the kernels printed. Null takes the handler away.
void set_fault_handler(void (*handler)());

}  // namespace vgpu
