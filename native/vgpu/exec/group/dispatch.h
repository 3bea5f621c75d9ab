// Everything that the workgroups of one dispatch have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "exec/code/code.h"
#include "exec/cover/coverage.h"
#include "exec/group/global_wave_sync.h"
#include "exec/touch/executed_code.h"
#include "exec/wave/kernel_descriptor.h"
#include "memory/touched_pages.h"

namespace vgpu {

struct DispatchRequest {
  const void* packet;      // the 64-byte AQL kernel dispatch packet, where dispatch_ptr points
  uint64_t queue_address;  // amd_queue_t, for queue_ptr
  uint64_t dispatch_id;
  uint64_t kernel_object;          // address of the 64-byte kernel descriptor
  const char* kernel_name;         // demangled or mangled, for reports
  uint32_t argument_bytes;         // what a launch copies; the descriptor does not always say it
  uint32_t device = kFirstDevice;  // that runs it, as the runtime counts agents
};

struct Dispatch {
  // `start_ns`: the modelled device clock.
  Dispatch(const DispatchRequest& request, uint64_t start_ns);

  DispatchRequest request;
  const AqlDispatchPacket* packet;
  KernelDescriptor kernel;
  std::string kernel_name;
  std::shared_ptr<CodeRange> code;  // null: there is none
  uint64_t entry;                   // address of the first instruction
  uint32_t groups[3];
  uint64_t group_total = 1;
  uint32_t lds_bytes;
  uint32_t scratch_bytes;  // per lane
  uint64_t start_ns;
  GlobalWaveSync global_sync;
  std::unique_ptr<TouchedPages> touched;      // null: nobody asks which pages it touches
  std::unique_ptr<ExecutedCode> executed;     // null: nobody asks which lines of `code` it executes
  std::shared_ptr<cover::Coverage> coverage;  // null: nobody asks which instructions it executes

  uint32_t waves_per_group() const;  // of a whole one

 private:
  cover::Subject covered() const;
};

}  // namespace vgpu
