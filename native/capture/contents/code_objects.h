// Which kernels are loaded, where, and from which bytes.
#pragma once

#include <hsa/hsa_api_trace.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contents/memory.h"

namespace capture {

struct Kernel {
  std::string mangled;  // the symbol: ends with ".kd"
  std::string demangled;
  uint32_t kernarg_size = 0;  // what a launch copies; 0: nobody says
  bool wanted = false;        // by --kernel
};

struct LoadedCode {
  uint64_t base = 0, size = 0;
  int64_t delta = 0;                            // loaded address - address in the file
  std::shared_ptr<std::vector<uint8_t>> bytes;  // the file; only of executables with wanted kernels
};

void watch_code(HsaApiTable* table);

// Null when the kernel object belongs to no executable that was frozen.
std::shared_ptr<const Kernel> kernel_at(uint64_t kernel_object);

// The code object that holds the address; its base is 0 when there is none.
LoadedCode code_at(uint64_t address);

// The images of all code objects of `agent`: code, constants and __device__ variables.
std::vector<Region> loaded_code(hsa_agent_t agent);

}  // namespace capture
