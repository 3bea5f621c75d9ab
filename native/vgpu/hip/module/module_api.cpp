// Modules that a program loads itself, and the symbols of those it carries.
#include <cstring>
#include <fstream>
#include <iterator>

#include "hip/copy/copy.h"
#include "hip/core/api.h"
#include "hip/core/clock.h"
#include "hip/core/handle_set.h"
#include "hip/core/runtime.h"
#include "hip/device/device_properties.h"
#include "hip/module/module.h"

namespace vgpu::hip {
namespace {

Module* find_module(hipModule_t handle) { return HandleSet<Module>::get().find(handle); }

hipError_t load(hipModule_t* handle, const void* image, size_t bytes) {
  if (!handle) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  std::unique_ptr<Module> module;
  if (hipError_t status = Module::load(runtime.current(), image, bytes, module)) return status;
  HandleSet<Module>::get().add(module.get());
  *handle = reinterpret_cast<hipModule_t>(module.release());
  return hipSuccess;
}

hipError_t load_file(hipModule_t* handle, const char* path) {
  if (!handle || !path || !*path) return hipErrorInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file) return hipErrorFileNotFound;
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.empty()) return hipErrorInvalidImage;
  return load(handle, bytes.data(), bytes.size());
}

hipError_t unload(hipModule_t handle) {
  if (!handle) return hipErrorInvalidHandle;
  Module* module = find_module(handle);
  if (!module) return hipErrorNotFound;
  Runtime::get().synchronize_device(module->device());
  HandleSet<Module>::get().remove(module);
  delete module;
  return hipSuccess;
}

// The part of a variable that a symbol copy names.
hipError_t symbol_range(const void* symbol, size_t bytes, size_t offset, void** address) {
  Variable variable;
  if (hipError_t status = find_variable(symbol, &variable)) return status;
  if (offset > variable.bytes || bytes > variable.bytes - offset) return hipErrorInvalidValue;
  *address = static_cast<uint8_t*>(variable.address) + offset;
  return hipSuccess;
}

hipError_t copy_to_symbol(hipStream_t stream, const void* symbol, const void* source, size_t bytes,
                          size_t offset, hipMemcpyKind kind, bool synchronous) {
  void* address = nullptr;
  if (kind != hipMemcpyHostToDevice && kind != hipMemcpyDeviceToDevice && kind != hipMemcpyDefault)
    return hipErrorInvalidMemcpyDirection;
  if (hipError_t status = symbol_range(symbol, bytes, offset, &address)) return status;
  return copy(stream, address, source, line(bytes), kind, synchronous);
}

hipError_t copy_from_symbol(hipStream_t stream, void* target, const void* symbol, size_t bytes,
                            size_t offset, hipMemcpyKind kind, bool synchronous) {
  void* address = nullptr;
  if (kind != hipMemcpyDeviceToHost && kind != hipMemcpyDeviceToDevice && kind != hipMemcpyDefault)
    return hipErrorInvalidMemcpyDirection;
  if (hipError_t status = symbol_range(symbol, bytes, offset, &address)) return status;
  return copy(stream, target, address, line(bytes), kind, synchronous);
}

hipError_t attributes(hipFuncAttributes* result, const Function& function) {
  if (!result) return hipErrorInvalidValue;
  std::memset(result, 0, sizeof *result);
  // gfx942 is 94: the stepping is no part of it.
  const hipDeviceProp_t device = device_properties(function.module->device());
  result->binaryVersion = result->ptxVersion = device.major * 10 + device.minor;
  result->localSizeBytes = function.private_bytes;
  result->maxThreadsPerBlock = static_cast<int>(function.metadata.max_workgroup_size);
  result->maxDynamicSharedSizeBytes = kLdsBytes - static_cast<int>(function.static_lds);
  result->numRegs = static_cast<int>(function.metadata.vgpr);
  result->sharedSizeBytes = function.static_lds;
  return hipSuccess;
}

hipError_t attribute(int* value, hipFunction_attribute which, const Function& function) {
  hipFuncAttributes all;
  if (!value) return hipErrorInvalidValue;
  if (hipError_t status = attributes(&all, function)) return status;
  switch (which) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = all.maxThreadsPerBlock; break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = int(all.sharedSizeBytes); break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = int(all.localSizeBytes); break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = all.numRegs; break;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION: *value = all.binaryVersion; break;
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = 0; break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = all.maxDynamicSharedSizeBytes;
      break;
    default: return hipErrorInvalidValue;
  }
  return hipSuccess;
}

// A carve-out is -1 (the default) or percents.
bool is_setting(const Function& function, hipFuncAttribute attribute, int value) {
  if (attribute == hipFuncAttributePreferredSharedMemoryCarveout)
    return value >= -1 && value <= 100;
  const int room = kLdsBytes - static_cast<int>(function.static_lds);
  return attribute != hipFuncAttributeMaxDynamicSharedMemorySize || (value >= 0 && value <= room);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipModuleLoad(hipModule_t* module, const char* fname) {
  HIP_API(hipModuleLoad, module, fname);
  HIP_RETURN(load_file(module, fname));
}

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  HIP_API(hipModuleLoadData, module, image);
  HIP_RETURN(load(module, image, 0));
}

hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned numOptions,
                               hipJitOption* options, void** optionValues) {
  HIP_API(hipModuleLoadDataEx, module, image, numOptions, options, optionValues);
  HIP_RETURN(load(module, image, 0));
}

hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* fatbin) {
  HIP_API(hipModuleLoadFatBinary, module, fatbin);
  HIP_RETURN(load(module, fatbin, 0));
}

hipError_t hipModuleUnload(hipModule_t module) {
  HIP_API(hipModuleUnload, module);
  HIP_RETURN(unload(module));
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* kname) {
  HIP_API(hipModuleGetFunction, function, module, kname);
  Module* known = find_module(module);
  if (!function || !kname || !*kname) HIP_RETURN(hipErrorInvalidValue);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  HIP_RETURN(known->function(kname, reinterpret_cast<Function**>(function)));
}

hipError_t hipModuleGetFunctionCount(unsigned* count, hipModule_t mod) {
  HIP_API(hipModuleGetFunctionCount, count, mod);
  Module* known = find_module(mod);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (!count) HIP_RETURN(hipErrorInvalidValue);
  *count = static_cast<unsigned>(known->function_count());
  HIP_RETURN(hipSuccess);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* dptr, size_t* bytes, hipModule_t hmod,
                              const char* name) {
  HIP_API(hipModuleGetGlobal, dptr, bytes, hmod, name);
  Module* known = find_module(hmod);
  if ((!dptr && !bytes) || !name || !*name) HIP_RETURN(hipErrorInvalidValue);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  Variable variable;
  if (hipError_t status = known->variable(name, &variable)) HIP_RETURN(status);
  if (dptr) *dptr = variable.address;
  if (bytes) *bytes = variable.bytes;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGetSymbolAddress(void** devPtr, const void* symbol) {
  HIP_API(hipGetSymbolAddress, devPtr, symbol);
  if (!devPtr) HIP_RETURN(hipErrorInvalidValue);
  Variable variable;
  hipError_t status = find_variable(symbol, &variable);
  *devPtr = variable.address;
  HIP_RETURN(status);
}

hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
  HIP_API(hipGetSymbolSize, size, symbol);
  if (!size) HIP_RETURN(hipErrorInvalidValue);
  Variable variable;
  hipError_t status = find_variable(symbol, &variable);
  *size = variable.bytes;
  HIP_RETURN(status);
}

hipError_t hipMemcpyToSymbol(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                             hipMemcpyKind kind) {
  HIP_API(hipMemcpyToSymbol, symbol, src, sizeBytes, offset, kind);
  HIP_RETURN(copy_to_symbol(nullptr, symbol, src, sizeBytes, offset, kind, true));
}

hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* src, size_t sizeBytes,
                                  size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  HIP_API(hipMemcpyToSymbolAsync, symbol, src, sizeBytes, offset, kind, stream);
  HIP_RETURN(copy_to_symbol(stream, symbol, src, sizeBytes, offset, kind, false));
}

hipError_t hipMemcpyFromSymbol(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                               hipMemcpyKind kind) {
  HIP_API(hipMemcpyFromSymbol, dst, symbol, sizeBytes, offset, kind);
  HIP_RETURN(copy_from_symbol(nullptr, dst, symbol, sizeBytes, offset, kind, true));
}

hipError_t hipMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  HIP_API(hipMemcpyFromSymbolAsync, dst, symbol, sizeBytes, offset, kind, stream);
  HIP_RETURN(copy_from_symbol(stream, dst, symbol, sizeBytes, offset, kind, false));
}

hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* src, size_t sizeBytes,
                                 size_t offset, hipMemcpyKind kind) {
  HIP_API(hipMemcpyToSymbol_spt, symbol, src, sizeBytes, offset, kind);
  HIP_RETURN(copy_to_symbol(hipStreamPerThread, symbol, src, sizeBytes, offset, kind, true));
}

hipError_t hipMemcpyToSymbolAsync_spt(const void* symbol, const void* src, size_t sizeBytes,
                                      size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  HIP_API(hipMemcpyToSymbolAsync_spt, symbol, src, sizeBytes, offset, kind, stream);
  HIP_RETURN(copy_to_symbol(stream ? stream : hipStreamPerThread, symbol, src, sizeBytes, offset,
                            kind, false));
}

hipError_t hipMemcpyFromSymbol_spt(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                                   hipMemcpyKind kind) {
  HIP_API(hipMemcpyFromSymbol_spt, dst, symbol, sizeBytes, offset, kind);
  HIP_RETURN(copy_from_symbol(hipStreamPerThread, dst, symbol, sizeBytes, offset, kind, true));
}

hipError_t hipMemcpyFromSymbolAsync_spt(void* dst, const void* symbol, size_t sizeBytes,
                                        size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  HIP_API(hipMemcpyFromSymbolAsync_spt, dst, symbol, sizeBytes, offset, kind, stream);
  HIP_RETURN(copy_from_symbol(stream ? stream : hipStreamPerThread, dst, symbol, sizeBytes, offset,
                              kind, false));
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attr, const void* func) {
  HIP_API(hipFuncGetAttributes, attr, func);
  Function* function = nullptr;
  if (hipError_t status = find_function(func, &function)) HIP_RETURN(status);
  HIP_RETURN(attributes(attr, *function));
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attrib, hipFunction_t hfunc) {
  HIP_API(hipFuncGetAttribute, value, attrib, hfunc);
  Function* function = HandleSet<Function>::get().find(hfunc);
  if (!value) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(function ? attribute(value, attrib, *function) : hipErrorInvalidHandle);
}

hipError_t hipFuncSetAttribute(const void* func, hipFuncAttribute attr, int value) {
  HIP_API(hipFuncSetAttribute, func, attr, value);
  Function* function = nullptr;
  if (!func) HIP_RETURN(hipErrorInvalidDeviceFunction);
  if (attr < 0 || attr > hipFuncAttributeMax) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = find_function(func, &function)) HIP_RETURN(status);
  HIP_RETURN(is_setting(*function, attr, value) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipFuncSetCacheConfig(const void* func, hipFuncCache_t config) {
  HIP_API(hipFuncSetCacheConfig, func, config);
  if (!func) HIP_RETURN(hipErrorInvalidDeviceFunction);
  if (config < hipFuncCachePreferNone || config > hipFuncCachePreferEqual)
    HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(hipSuccess);  // the device has no configurable split; HIP accepts the hint
}

hipError_t hipFuncSetSharedMemConfig(const void* func, hipSharedMemConfig config) {
  HIP_API(hipFuncSetSharedMemConfig, func, config);
  if (!func) HIP_RETURN(hipErrorInvalidDeviceFunction);
  if (config < hipSharedMemBankSizeDefault || config > hipSharedMemBankSizeEightByte)
    HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(hipSuccess);
}

hipError_t hipGetFuncBySymbol(hipFunction_t* functionPtr, const void* symbolPtr) {
  HIP_API(hipGetFuncBySymbol, functionPtr, symbolPtr);
  if (!functionPtr) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(find_function(symbolPtr, reinterpret_cast<Function**>(functionPtr)));
}

const char* hipKernelNameRef(const hipFunction_t f) {
  return f ? reinterpret_cast<Function*>(f)->metadata.name.c_str() : nullptr;
}

const char* hipKernelNameRefByPtr(const void* hostFunction, hipStream_t) {
  return registered_name(hostFunction);
}

}  // extern "C"
