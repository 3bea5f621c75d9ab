// The functions that clang calls before main: which kernels and variables the program carries.
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "hip/core/api.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"
#include "hip/module/module.h"

namespace vgpu::hip {
namespace {

// __CudaFatBinaryWrapper as clang emits it for HIP.
struct FatBinaryWrapper {
  uint32_t magic;
  uint32_t version;
  const void* binary;
  void* unused;
};
constexpr uint32_t kWrapperMagic = 0x48495046;  // "HIPF"

struct FatBinary {
  const void* image = nullptr;
  std::mutex mutex;
  std::map<int, std::unique_ptr<Module>> loaded;  // by device
};

struct RegisteredVariable {
  FatBinary* binary;
  std::string name;
  size_t bytes;
  void** managed = nullptr;  // __managed__: where the program keeps the pointer
  void* managed_memory = nullptr;
};

struct RegisteredKernel {
  FatBinary* binary;
  std::string name;
};

struct Registry {
  std::mutex mutex;
  std::map<const void*, RegisteredKernel> kernels;
  std::map<const void*, RegisteredVariable> variables;
};

Registry& registry() {
  static Registry* instance = new Registry();
  return *instance;
}

// Points the device's managed pointers at memory that both sides can use.
hipError_t bind_managed_variables(FatBinary& binary, Module& module) {
  std::lock_guard<std::mutex> hold(registry().mutex);
  for (auto& [shadow, variable] : registry().variables) {
    if (variable.binary != &binary || !variable.managed_memory) continue;
    Variable slot;
    if (hipError_t status = module.variable(variable.name, &slot)) return status;
    *static_cast<void**>(slot.address) = variable.managed_memory;
  }
  return hipSuccess;
}

hipError_t module_of(FatBinary& binary, Module** module) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  Device& device = runtime.current();
  std::lock_guard<std::mutex> hold(binary.mutex);
  std::unique_ptr<Module>& loaded = binary.loaded[device.index];
  if (!loaded) {
    if (hipError_t status = Module::load(device, binary.image, 0, loaded)) return status;
    if (hipError_t status = bind_managed_variables(binary, *loaded)) return status;
  }
  *module = loaded.get();
  return hipSuccess;
}

}  // namespace

hipError_t find_function(const void* host_stub, Function** found) {
  RegisteredKernel kernel;
  {
    std::lock_guard<std::mutex> hold(registry().mutex);
    auto known = registry().kernels.find(host_stub);
    if (known == registry().kernels.end()) return hipErrorInvalidDeviceFunction;
    kernel = known->second;
  }
  Module* module = nullptr;
  if (hipError_t status = module_of(*kernel.binary, &module)) return status;
  hipError_t status = module->function(kernel.name, found);
  return status == hipErrorNotFound ? hipErrorInvalidDeviceFunction : status;
}

hipError_t find_variable(const void* host_shadow, Variable* found) {
  RegisteredVariable variable;
  {
    std::lock_guard<std::mutex> hold(registry().mutex);
    auto known = registry().variables.find(host_shadow);
    if (known == registry().variables.end()) return hipErrorInvalidSymbol;
    variable = known->second;
  }
  if (variable.managed_memory) {
    *found = {variable.managed_memory, variable.bytes};
    return hipSuccess;
  }
  Module* module = nullptr;
  if (hipError_t status = module_of(*variable.binary, &module)) return status;
  hipError_t status = module->variable(variable.name, found);
  return status == hipErrorNotFound ? hipErrorInvalidSymbol : status;
}

const char* registered_name(const void* host_stub) {
  std::lock_guard<std::mutex> hold(registry().mutex);
  auto known = registry().kernels.find(host_stub);
  return known == registry().kernels.end() ? nullptr : known->second.name.c_str();
}

}  // namespace vgpu::hip

using vgpu::hip::FatBinary;

// Clang calls these; no header declares them.
#pragma GCC visibility push(default)
extern "C" {

void** __hipRegisterFatBinary(const void* data) {
  const auto* wrapper = static_cast<const vgpu::hip::FatBinaryWrapper*>(data);
  auto* binary = new FatBinary();
  if (wrapper->magic == vgpu::hip::kWrapperMagic) binary->image = wrapper->binary;
  else
    std::fprintf(stderr, "virtual ROCm: the program's fat binary has an unknown wrapper (0x%x)\n",
                 wrapper->magic);
  return reinterpret_cast<void**>(binary);
}

void __hipUnregisterFatBinary(void** handle) {
  auto* binary = reinterpret_cast<FatBinary*>(handle);
  auto& registry = vgpu::hip::registry();
  std::lock_guard<std::mutex> hold(registry.mutex);
  auto forget = [binary](auto& entries) {
    for (auto it = entries.begin(); it != entries.end();)
      it = it->second.binary == binary ? entries.erase(it) : std::next(it);
  };
  forget(registry.kernels);
  forget(registry.variables);
  // The modules stay loaded: this runs at exit, when kernels may still be executing.
}

void __hipRegisterFunction(void** handle, const void* host_function, char* device_function,
                           const char*, unsigned, void*, void*, void*, void*, int*) {
  auto& registry = vgpu::hip::registry();
  std::lock_guard<std::mutex> hold(registry.mutex);
  registry.kernels[host_function] = {reinterpret_cast<FatBinary*>(handle), device_function};
}

void __hipRegisterVar(void** handle, void* shadow, char*, char* name, int, size_t bytes, int, int) {
  auto& registry = vgpu::hip::registry();
  std::lock_guard<std::mutex> hold(registry.mutex);
  registry.variables[shadow] = {reinterpret_cast<FatBinary*>(handle), name, bytes};
}

void __hipRegisterManagedVar(void* handle, void** pointer, void* initial, const char* name,
                             size_t bytes, unsigned) {
  void* memory = nullptr;
  hipError_t status =
      vgpu::hip::allocate_host(&memory, bytes, 0, vgpu::hip::AllocationKind::Managed);
  if (status != hipSuccess) {
    std::fprintf(stderr, "virtual ROCm: no memory for the managed variable %s\n", name);
    return;
  }
  __builtin_memcpy(memory, initial, bytes);
  *pointer = memory;
  auto& registry = vgpu::hip::registry();
  std::lock_guard<std::mutex> hold(registry.mutex);
  registry.variables[pointer] = {static_cast<FatBinary*>(handle), name, bytes, pointer, memory};
}

void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {}  // no image hardware
void __hipRegisterSurface(void**, void*, char*, char*, int, int) {}

}  // extern "C"
#pragma GCC visibility pop
