// Launches with events around the kernel, and with sizes in work items.
#pragma once

#include <hip/hip_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

HIP_PUBLIC_API hipError_t hipExtModuleLaunchKernel(
    hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ,
    size_t sharedMemBytes, hipStream_t hStream, void** kernelParams, void** extra,
    hipEvent_t startEvent HIP_DEFAULT(NULL), hipEvent_t stopEvent HIP_DEFAULT(NULL),
    uint32_t flags HIP_DEFAULT(0));
HIP_PUBLIC_API hipError_t hipHccModuleLaunchKernel(
    hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ,
    size_t sharedMemBytes, hipStream_t hStream, void** kernelParams, void** extra,
    hipEvent_t startEvent HIP_DEFAULT(NULL), hipEvent_t stopEvent HIP_DEFAULT(NULL));

#ifdef __cplusplus
}

template <typename... Formals, typename... Actuals>
static inline void hipExtLaunchKernelGGL(void (*kernel)(Formals...), const dim3& blocks,
                                         const dim3& threads, uint32_t sharedBytes,
                                         hipStream_t stream, hipEvent_t startEvent,
                                         hipEvent_t stopEvent, uint32_t flags,
                                         Actuals... actuals) {
  static_assert(sizeof...(Formals) == sizeof...(Actuals), "as many arguments as the kernel takes");
  // The kernel reads its arguments as the formal types, so convert first.
  [&](Formals... arguments) {
    void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
    (void)hipExtLaunchKernel(reinterpret_cast<void*>(kernel), blocks, threads, addresses,
                             sharedBytes, stream, startEvent, stopEvent, static_cast<int>(flags));
  }(actuals...);
}
#endif
