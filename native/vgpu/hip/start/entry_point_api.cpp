// Functions of this library by name, and switches of profilers.
#include <dlfcn.h>

#include <cstring>

#include "hip/core/api.h"
#include "hip/record/recorder.h"

namespace vgpu::hip {
namespace {

// Driver API programs ask for names without the version suffix of the header's macros.
void* find_symbol(const char* name, bool per_thread) {
  if (std::strncmp(name, "hip", 3) != 0) return nullptr;
  std::string wanted = name;
  if (wanted == "hipGetDeviceProperties" || wanted == "hipChooseDevice") wanted += "R0600";
  void* found = nullptr;
  if (per_thread) found = dlsym(RTLD_DEFAULT, (wanted + "_spt").c_str());
  return found ? found : dlsym(RTLD_DEFAULT, wanted.c_str());
}

hipError_t entry_point(const char* symbol, void** function, bool per_thread,
                       hipDriverEntryPointQueryResult* status) {
  if (!symbol || !function || !*symbol) return hipErrorInvalidValue;
  *function = find_symbol(symbol, per_thread);
  if (status) *status = *function ? hipDriverEntryPointSuccess : hipDriverEntryPointSymbolNotFound;
  return *function ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipGetProcAddress(const char* symbol, void** pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult* symbolStatus) {
  HIP_API(hipGetProcAddress, symbol, pfn, hipVersion, flags, symbolStatus);
  if (!symbol || !pfn || !*symbol) HIP_RETURN(hipErrorInvalidValue);
  *pfn = find_symbol(symbol, flags == hipEnablePerThreadDefaultStream);
  if (symbolStatus)
    *symbolStatus = *pfn ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  HIP_RETURN(*pfn ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                  hipDriverEntryPointQueryResult* driverStatus) {
  HIP_API(hipGetDriverEntryPoint, symbol, funcPtr, flags, driverStatus);
  HIP_RETURN(entry_point(symbol, funcPtr, flags == hipEnablePerThreadDefaultStream, driverStatus));
}

hipError_t hipGetDriverEntryPoint_spt(const char* symbol, void** funcPtr, unsigned long long flags,
                                      hipDriverEntryPointQueryResult* status) {
  HIP_API(hipGetDriverEntryPoint_spt, symbol, funcPtr, flags, status);
  HIP_RETURN(entry_point(symbol, funcPtr, true, status));
}

hipError_t hipProfilerStart() {
  HIP_API(hipProfilerStart);
  record_profiler("resume");
  HIP_RETURN(hipSuccess);
}

hipError_t hipProfilerStop() {
  HIP_API(hipProfilerStop);
  record_profiler("pause");
  HIP_RETURN(hipSuccess);
}

// Ids of calls exist only for the callbacks of old profilers, which this runtime does not have.
const char* hipApiName(uint32_t) { return "unknown"; }

// No precompiled header is built in; a null pointer says so.
void __hipGetPCH(const char** pch, unsigned* size) {
  *pch = nullptr;
  *size = 0;
}

}  // extern "C"
