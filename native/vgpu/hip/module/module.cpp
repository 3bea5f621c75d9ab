#include "hip/module/module.h"

#include <cstdio>

#include "hip/core/handle_set.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"
#include "hip/module/fat_binary.h"

namespace vgpu::hip {
namespace {

hipError_t pick_image(const Device& device, const void* image, size_t bytes,
                      CodeObjectView& chosen) {
  std::vector<CodeObjectView> objects;
  switch (list_code_objects(image, bytes, objects)) {
    case FatBinaryError::None: break;
    case FatBinaryError::Compressed:
      std::fprintf(stderr,
                   "virtual ROCm: compressed offload bundles are not supported; build with "
                   "-no-offload-compress\n");
      return hipErrorInvalidImage;
    default: return hipErrorInvalidImage;
  }
  const CodeObjectView* match = select_code_object(objects, device.name);
  if (!match) {
    std::string targets;
    for (const CodeObjectView& object : objects) targets += " " + object.target;
    std::fprintf(stderr,
                 "virtual ROCm: no code object for %s in the program, only for:%s; build with "
                 "--offload-arch=%s\n",
                 device.name.c_str(), targets.c_str(), device.name.c_str());
    return hipErrorNoBinaryForGpu;
  }
  chosen = *match;
  return hipSuccess;
}

}  // namespace

hipError_t Module::load(Device& device, const void* image, size_t bytes,
                        std::unique_ptr<Module>& module) {
  if (!image) return hipErrorInvalidValue;
  CodeObjectView chosen;
  if (hipError_t status = pick_image(device, image, bytes, chosen)) return status;
  std::unique_ptr<Module> made(new Module());
  made->device_ = &device;
  made->elf_.assign(chosen.data, chosen.data + chosen.bytes);
  code_metadata::CodeMetadata metadata;
  std::string error;
  if (!code_metadata::read_code_metadata(made->elf_.data(), made->elf_.size(), metadata, error)) {
    std::fprintf(stderr, "virtual ROCm: %s\n", error.c_str());
    return hipErrorInvalidImage;
  }
  for (KernelMetadata& kernel : metadata.kernels) made->kernels_[kernel.name] = std::move(kernel);
  made->printf_formats_ = read_formats(metadata.printf_formats);
  if (hipError_t status = made->load_executable(made->elf_.data(), made->elf_.size()))
    return status;
  module = std::move(made);
  return hipSuccess;
}

hipError_t Module::load_executable(const void* elf, size_t bytes) {
  if (hsa_code_object_reader_create_from_memory(elf, bytes, &reader_) != HSA_STATUS_SUCCESS)
    return hipErrorInvalidImage;
  if (hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr,
                                &executable_) != HSA_STATUS_SUCCESS)
    return hipErrorOutOfMemory;
  hsa_status_t status =
      hsa_executable_load_agent_code_object(executable_, device_->agent, reader_, nullptr, nullptr);
  if (status == HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS) return hipErrorNoBinaryForGpu;
  if (status != HSA_STATUS_SUCCESS) return hipErrorSharedObjectInitFailed;
  if (hsa_executable_freeze(executable_, nullptr) != HSA_STATUS_SUCCESS)
    return hipErrorSharedObjectInitFailed;
  return hipSuccess;
}

Module::~Module() {
  for (auto& [name, function] : functions_) HandleSet<Function>::get().remove(function.get());
  for (void* variable : variables_) MemoryMap::get().remove(variable);
  if (executable_.handle) hsa_executable_destroy(executable_);
  if (reader_.handle) hsa_code_object_reader_destroy(reader_);
}

hipError_t Module::function(const std::string& name, Function** found) {
  std::lock_guard<std::mutex> hold(mutex_);
  auto known = functions_.find(name);
  if (known != functions_.end()) {
    *found = known->second.get();
    return hipSuccess;
  }
  auto kernel = kernels_.find(name);
  if (kernel == kernels_.end()) return hipErrorNotFound;
  hsa_executable_symbol_t symbol;
  if (hsa_executable_get_symbol_by_name(executable_, kernel->second.symbol.c_str(), &device_->agent,
                                        &symbol) != HSA_STATUS_SUCCESS)
    return hipErrorNotFound;
  auto function = std::make_unique<Function>();
  function->module = this;
  function->metadata = kernel->second;
  auto ask = [&](hsa_executable_symbol_info_t what, void* value) {
    hsa_executable_symbol_get_info(symbol, what, value);
  };
  ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &function->kernel_object);
  ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &function->static_lds);
  ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &function->private_bytes);
  ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &function->kernarg_bytes);
  function->kernarg_bytes =
      code_metadata::argument_bytes(kernel->second.kernarg_bytes, function->kernarg_bytes);
  *found = function.get();
  HandleSet<Function>::get().add(function.get());
  functions_[name] = std::move(function);
  return hipSuccess;
}

hipError_t Module::variable(const std::string& name, Variable* found) {
  hsa_executable_symbol_t symbol;
  if (hsa_executable_get_symbol_by_name(executable_, name.c_str(), &device_->agent, &symbol) !=
      HSA_STATUS_SUCCESS)
    return hipErrorNotFound;
  hsa_symbol_kind_t kind;
  hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind);
  if (kind != HSA_SYMBOL_KIND_VARIABLE) return hipErrorNotFound;
  uint64_t address = 0;
  uint32_t bytes = 0;
  hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address);
  hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &bytes);
  found->address = reinterpret_cast<void*>(address);
  found->bytes = bytes;
  if (bytes) {
    MemoryMap::get().add({address, bytes, AllocationKind::Borrowed, device_->index, 0, nullptr});
    std::lock_guard<std::mutex> hold(mutex_);
    variables_.insert(found->address);
  }
  return hipSuccess;
}

}  // namespace vgpu::hip
