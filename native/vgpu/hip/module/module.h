// Code: fat binaries that the program carries, modules that it loads, and the kernels and
// variables inside them. A code object is loaded into a device on first use.
#pragma once

#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "hip/printf/printf_records.h"
#include "metadata/kernel_metadata.h"

namespace vgpu::hip {

using code_metadata::KernelArgument;
using code_metadata::KernelMetadata;

struct Device;
class Module;

// A kernel on one device: what hipFunction_t points to.
struct Function {
  Module* module = nullptr;
  KernelMetadata metadata;
  uint64_t kernel_object = 0;
  uint32_t static_lds = 0, private_bytes = 0, kernarg_bytes = 0;
};

struct Variable {
  void* address = nullptr;
  size_t bytes = 0;
};

// One code object, loaded into one device.
class Module {
 public:
  static hipError_t load(Device& device, const void* image, size_t bytes,
                         std::unique_ptr<Module>& module);
  ~Module();

  hipError_t function(const std::string& name, Function** found);
  hipError_t variable(const std::string& name, Variable* found);
  size_t function_count() const { return kernels_.size(); }
  const PrintfFormats& printf_formats() const { return printf_formats_; }
  Device& device() const { return *device_; }

 private:
  Module() = default;
  hipError_t load_executable(const void* elf, size_t bytes);

  Device* device_ = nullptr;
  std::vector<uint8_t> elf_;  // the program may free its own copy
  hsa_code_object_reader_t reader_{0};
  hsa_executable_t executable_{0};
  std::map<std::string, KernelMetadata> kernels_;
  std::map<std::string, std::unique_ptr<Function>> functions_;
  PrintfFormats printf_formats_;
  std::set<void*> variables_;  // those that the memory map knows
  std::mutex mutex_;
};

// --- what clang registers before main -----------------------------------------------------------

// The kernel behind a host stub on the current device, loading its fat binary if needed.
hipError_t find_function(const void* host_stub, Function** found);
// The device variable behind a host shadow variable.
hipError_t find_variable(const void* host_shadow, Variable* found);
// The demangled or mangled name of a registered kernel; null when the address is none.
const char* registered_name(const void* host_stub);

}  // namespace vgpu::hip
