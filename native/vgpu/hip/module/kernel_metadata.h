// What a code object says about its kernels: the msgpack note that clang writes for AMDGPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vgpu::hip {

struct KernelArgument {
  uint32_t offset = 0;
  uint32_t size = 0;
  std::string kind;  // "by_value", "global_buffer", "hidden_block_count_x", ...
};

struct KernelMetadata {
  std::string name;    // mangled
  std::string symbol;  // name + ".kd"
  uint32_t kernarg_bytes = 0;
  uint32_t static_lds = 0;
  uint32_t private_bytes = 0;
  uint32_t max_workgroup_size = 1024;
  uint32_t vgpr = 0, agpr = 0, sgpr = 0;
  uint32_t required_size[3] = {0, 0, 0};
  bool dynamic_stack = false;
  bool uniform_workgroups = false;
  std::vector<KernelArgument> arguments;  // explicit ones first, then hidden ones
};

struct CodeMetadata {
  std::vector<KernelMetadata> kernels;
  std::vector<std::string> printf_formats;  // "0:0:<hash in hex>,<format>"
};

// Reads the NT_AMDGPU_METADATA note of a 64-bit ELF. Returns false with `error` set when there is
// none or it cannot be understood.
bool read_code_metadata(const uint8_t* elf, size_t bytes, CodeMetadata& metadata,
                        std::string& error);

}  // namespace vgpu::hip
