// What a code object says about its kernels: the msgpack note that clang writes for AMDGPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace code_metadata {

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

  // Bytes from the first argument to behind the last one that the metadata list.
  size_t argument_end() const;
};

struct CodeMetadata {
  std::vector<KernelMetadata> kernels;
  std::vector<std::string> printf_formats;  // "0:0:<hash in hex>,<format>"
};

// Reads the NT_AMDGPU_METADATA note of a 64-bit ELF. Returns false with `error` set when there is
// none or it cannot be understood.
bool read_code_metadata(const uint8_t* elf, size_t bytes, CodeMetadata& code, std::string& error);

// How many bytes of arguments a launch copies: what the metadata say, as ROCm's HIP runtime takes
// it. The descriptors of hand-written kernels often say 0, and HSA answers with the descriptor
// (HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE): it counts where no metadata are.
inline uint32_t argument_bytes(uint32_t in_metadata, uint32_t in_descriptor) {
  return in_metadata ? in_metadata : in_descriptor;
}

// The metadata's bytes of arguments of every kernel, by symbol; empty when there are no metadata.
std::unordered_map<std::string, uint32_t> argument_bytes_of(const uint8_t* elf, size_t bytes);

}  // namespace code_metadata
