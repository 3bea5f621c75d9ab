#include "hip/core/api.h"
#include "hip/core/handle_set.h"
#include "hip/core/runtime.h"
#include "hip/core/stream.h"
#include "hip/device/device_properties.h"
#include "hip/launch/launch.h"
#include "hip/launch/occupancy.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace vgpu::hip {
namespace {

// <<<grid, block, lds, stream>>> pushes these; the host stub of the kernel pops them.
struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
  std::vector<uint8_t> arguments;  // hipSetupArgument's
};
thread_local std::vector<CallConfiguration> configurations;

// Arguments by pointers or as one buffer.
hipError_t collect_arguments(const Function& function, void** parameters, void** extra,
                             std::vector<uint8_t>& arguments) {
  if (parameters && extra) return hipErrorInvalidValue;
  if (!parameters && extra) return unpack_extra(extra, arguments);
  if (!parameters) return takes_arguments(function.metadata) ? hipErrorInvalidValue : hipSuccess;
  arguments = pack_arguments(function.metadata, parameters);
  return hipSuccess;
}

hipError_t launch(Function& function, const void* handle, dim3 grid, dim3 block, size_t shared,
                  hipStream_t stream, void** parameters, void** extra, bool cooperative = false) {
  LaunchShape shape;
  shape.cooperative = cooperative;
  if (hipError_t status = make_shape(function, grid, block, shared, shape)) return status;
  std::vector<uint8_t> arguments;
  if (hipError_t status = collect_arguments(function, parameters, extra, arguments)) return status;
  return submit(stream,
                std::make_shared<KernelTask>(function, shape, std::move(arguments), handle));
}

hipError_t launch_stub(const void* stub, dim3 grid, dim3 block, void** args, size_t shared,
                       hipStream_t stream) {
  Function* function = nullptr;
  if (hipError_t status = find_function(stub, &function)) return status;
  return launch(*function, stub, grid, block, shared, stream, args, nullptr);
}

hipError_t set_up_argument(const void* argument, size_t bytes, size_t offset) {
  if (configurations.empty()) return hipErrorMissingConfiguration;
  if (!argument) return hipErrorInvalidValue;
  std::vector<uint8_t>& all = configurations.back().arguments;
  all.resize(std::max(all.size(), offset + bytes));
  std::memcpy(&all[offset], argument, bytes);
  return hipSuccess;
}

hipError_t launch_configured(const void* stub) {
  if (configurations.empty()) return hipErrorMissingConfiguration;
  CallConfiguration call = std::move(configurations.back());
  configurations.pop_back();
  Function* function = nullptr;
  if (find_function(stub, &function) != hipSuccess) return hipErrorInvalidDeviceFunction;
  size_t bytes = call.arguments.size();
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, call.arguments.data(),
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  return launch(*function, stub, call.grid, call.block, call.shared, call.stream, nullptr, extra);
}

// Null for a handle that is no function of a loaded module.
Function* function_of(hipFunction_t handle) { return HandleSet<Function>::get().find(handle); }

bool is_cooperative(const hipLaunchAttribute* attributes, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (attributes[i].id == hipLaunchAttributeCooperative) return attributes[i].value.cooperative;
  return false;
}

// No workgroup is larger than the grid, and kernels that were compiled for whole workgroups (hipcc's
// are) get no others.
hipError_t fit_workgroups(const Function& function, LaunchShape& shape) {
  for (int i = 0; i < 3; ++i) {
    shape.block[i] = std::min(shape.block[i], shape.grid[i]);
    if (function.metadata.uniform_workgroups && shape.grid[i] % shape.block[i])
      return hipErrorInvalidValue;
  }
  return hipSuccess;
}

// A grid in work-items: the last workgroup of a side may be partly filled.
hipError_t launch_items(hipFunction_t handle, LaunchShape shape, hipStream_t stream,
                        void** parameters, void** extra, hipEvent_t start, hipEvent_t stop) {
  Function* function = function_of(handle);
  if (!function) return hipErrorInvalidHandle;
  const uint32_t* block = shape.block;
  if (!shape.grid[0] || !shape.grid[1] || !shape.grid[2]) return hipErrorInvalidValue;
  if (!block[0] || !block[1] || !block[2]) return hipErrorInvalidConfiguration;
  LaunchShape checked;
  if (hipError_t status = make_shape(*function, dim3(1, 1, 1), dim3(block[0], block[1], block[2]),
                                     shape.dynamic_lds, checked))
    return status;
  if (hipError_t status = fit_workgroups(*function, shape)) return status;
  std::vector<uint8_t> arguments;
  if (hipError_t status = collect_arguments(*function, parameters, extra, arguments)) return status;
  if (start)
    if (hipError_t status = hipEventRecord(start, stream)) return status;
  hipError_t status =
      submit(stream, std::make_shared<KernelTask>(*function, shape, std::move(arguments), handle));
  return status == hipSuccess && stop ? hipEventRecord(stop, stream) : status;
}

// All workgroups of a cooperative launch must be resident together.
hipError_t check_cooperative(const Function& function, dim3 grid, dim3 block, size_t shared) {
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  if (threads == 0 || blocks == 0) return hipErrorInvalidValue;
  if (threads > kMostThreadsPerBlock) return hipErrorInvalidConfiguration;
  const uint64_t per_unit = active_blocks(function, static_cast<uint32_t>(threads), shared);
  const int units = device_properties(function.module->device()).multiProcessorCount;
  return blocks <= per_unit * units ? hipSuccess : hipErrorCooperativeLaunchTooLarge;
}

hipError_t launch_cooperative(Function& function, dim3 grid, dim3 block, void** args, size_t shared,
                              hipStream_t stream) {
  if (hipError_t status = check_cooperative(function, grid, block, shared)) return status;
  return launch(function, &function, grid, block, shared, stream, args, nullptr, true);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                      hipStream_t stream) {
  configurations.push_back({gridDim, blockDim, sharedMem, stream, {}});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                     hipStream_t* stream) {
  if (configurations.empty()) return hipErrorMissingConfiguration;
  CallConfiguration top = std::move(configurations.back());
  configurations.pop_back();
  *gridDim = top.grid;
  *blockDim = top.block;
  *sharedMem = top.shared;
  *stream = top.stream;
  return hipSuccess;
}

hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
  HIP_API(hipConfigureCall, gridDim, blockDim, sharedMem, stream);
  HIP_RETURN(__hipPushCallConfiguration(gridDim, blockDim, sharedMem, stream));
}

hipError_t hipSetupArgument(const void* arg, size_t size, size_t offset) {
  HIP_API(hipSetupArgument, arg, size, offset);
  HIP_RETURN(set_up_argument(arg, size, offset));
}

hipError_t hipLaunchByPtr(const void* func) {
  HIP_API(hipLaunchByPtr, func);
  HIP_RETURN(launch_configured(func));
}

hipError_t hipLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks,
                           void** args, size_t sharedMemBytes, hipStream_t stream) {
  HIP_API(hipLaunchKernel, function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream);
  HIP_RETURN(launch_stub(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream));
}

hipError_t hipLaunchKernel_spt(const void* function_address, dim3 numBlocks, dim3 dimBlocks,
                               void** args, size_t sharedMemBytes, hipStream_t stream) {
  HIP_API(hipLaunchKernel_spt, function_address, numBlocks, dimBlocks, args, sharedMemBytes,
          stream);
  HIP_RETURN(launch_stub(function_address, numBlocks, dimBlocks, args, sharedMemBytes,
                         stream ? stream : hipStreamPerThread));
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* fPtr, void** args) {
  HIP_API(hipLaunchKernelExC, config, fPtr, args);
  if (!config) HIP_RETURN(hipErrorInvalidConfiguration);
  if (is_cooperative(config->attrs, config->numAttrs))
    HIP_RETURN(hipLaunchCooperativeKernel(fPtr, config->gridDim, config->blockDim, args,
                                          static_cast<unsigned>(config->dynamicSmemBytes),
                                          config->stream));
  HIP_RETURN(launch_stub(fPtr, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                         config->stream));
}

hipError_t hipExtLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks,
                              void** args, size_t sharedMemBytes, hipStream_t stream,
                              hipEvent_t startEvent, hipEvent_t stopEvent, int flags) {
  HIP_API(hipExtLaunchKernel, function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream,
          startEvent, stopEvent, flags);
  if (startEvent)
    if (hipError_t status = hipEventRecord(startEvent, stream)) HIP_RETURN(status);
  hipError_t status =
      launch_stub(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream);
  if (status == hipSuccess && stopEvent) status = hipEventRecord(stopEvent, stream);
  HIP_RETURN(status);
}

HIP_PUBLIC_API hipError_t hipExtModuleLaunchKernel(
    hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ,
    size_t sharedMemBytes, hipStream_t hStream, void** kernelParams, void** extra,
    hipEvent_t startEvent, hipEvent_t stopEvent, uint32_t flags) {
  HIP_API(hipExtModuleLaunchKernel, f, globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ,
          localWorkSizeX, localWorkSizeY, localWorkSizeZ, sharedMemBytes, hStream, kernelParams,
          extra, startEvent, stopEvent, flags);
  HIP_RETURN(launch_items(f,
                          {{globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ},
                           {localWorkSizeX, localWorkSizeY, localWorkSizeZ},
                           static_cast<uint32_t>(sharedMemBytes),
                           false},
                          hStream, kernelParams, extra, startEvent, stopEvent));
}

HIP_PUBLIC_API hipError_t hipHccModuleLaunchKernel(
    hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ,
    size_t sharedMemBytes, hipStream_t hStream, void** kernelParams, void** extra,
    hipEvent_t startEvent, hipEvent_t stopEvent) {
  return hipExtModuleLaunchKernel(f, globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ,
                                  localWorkSizeX, localWorkSizeY, localWorkSizeZ, sharedMemBytes,
                                  hStream, kernelParams, extra, startEvent, stopEvent, 0);
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t f, void** params,
                                void** extra) {
  HIP_API(hipDrvLaunchKernelEx, config, f, params, extra);
  if (!config) HIP_RETURN(hipErrorInvalidConfiguration);
  const dim3 grid(config->gridDimX, config->gridDimY, config->gridDimZ);
  const dim3 block(config->blockDimX, config->blockDimY, config->blockDimZ);
  Function* function = function_of(f);
  if (!function) HIP_RETURN(hipErrorInvalidHandle);
  if (is_cooperative(config->attrs, config->numAttrs))
    HIP_RETURN(launch_cooperative(*function, grid, block, params, config->sharedMemBytes,
                                  config->hStream));
  HIP_RETURN(
      launch(*function, f, grid, block, config->sharedMemBytes, config->hStream, params, extra));
}

hipError_t hipLaunchCooperativeKernel_spt(const void* f, dim3 gridDim, dim3 blockDim,
                                          void** kernelParams, uint32_t sharedMemBytes,
                                          hipStream_t hStream) {
  return hipLaunchCooperativeKernel(f, gridDim, blockDim, kernelParams, sharedMemBytes,
                                    hStream ? hStream : hipStreamPerThread);
}

hipError_t hipLaunchCooperativeKernel(const void* f, dim3 gridDim, dim3 blockDimX,
                                      void** kernelParams, unsigned sharedMemBytes,
                                      hipStream_t stream) {
  HIP_API(hipLaunchCooperativeKernel, f, gridDim, blockDimX, kernelParams, sharedMemBytes, stream);
  Function* function = nullptr;
  if (hipError_t status = find_function(f, &function)) HIP_RETURN(status);
  HIP_RETURN(
      launch_cooperative(*function, gridDim, blockDimX, kernelParams, sharedMemBytes, stream));
}

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gridDimX, unsigned gridDimY,
                                 unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
                                 unsigned blockDimZ, unsigned sharedMemBytes, hipStream_t stream,
                                 void** kernelParams, void** extra) {
  HIP_API(hipModuleLaunchKernel, f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
          sharedMemBytes, stream, kernelParams, extra);
  if (!function_of(f)) HIP_RETURN(hipErrorInvalidHandle);
  if (kernelParams && extra) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(launch(*function_of(f), f, dim3(gridDimX, gridDimY, gridDimZ),
                    dim3(blockDimX, blockDimY, blockDimZ), sharedMemBytes, stream, kernelParams,
                    extra));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gridDimX, unsigned gridDimY,
                                            unsigned gridDimZ, unsigned blockDimX,
                                            unsigned blockDimY, unsigned blockDimZ,
                                            unsigned sharedMemBytes, hipStream_t stream,
                                            void** kernelParams) {
  HIP_API(hipModuleLaunchCooperativeKernel, f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY,
          blockDimZ, sharedMemBytes, stream, kernelParams);
  if (!function_of(f)) HIP_RETURN(hipErrorInvalidHandle);
  HIP_RETURN(launch_cooperative(*function_of(f), dim3(gridDimX, gridDimY, gridDimZ),
                                dim3(blockDimX, blockDimY, blockDimZ), kernelParams, sharedMemBytes,
                                stream));
}

// One launch per device; the virtual devices of a process need no barrier between them.
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices,
                                                 unsigned flags) {
  HIP_API(hipLaunchCooperativeKernelMultiDevice, launchParamsList, numDevices, flags);
  if (!launchParamsList || numDevices <= 0) HIP_RETURN(hipErrorInvalidValue);
  for (int i = 0; i < numDevices; ++i) {
    const hipLaunchParams& p = launchParamsList[i];
    if (!p.stream || p.stream == hipStreamLegacy) HIP_RETURN(hipErrorInvalidHandle);
    Function* function = nullptr;
    if (hipError_t status = find_function(p.func, &function)) HIP_RETURN(status);
    if (hipError_t status =
            launch_cooperative(*function, p.gridDim, p.blockDim, p.args, p.sharedMem, p.stream))
      HIP_RETURN(status);
  }
  HIP_RETURN(hipSuccess);
}

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices,
                                              unsigned flags) {
  HIP_API(hipExtLaunchMultiKernelMultiDevice, launchParamsList, numDevices, flags);
  if (!launchParamsList || numDevices <= 0) HIP_RETURN(hipErrorInvalidValue);
  for (int i = 0; i < numDevices; ++i) {
    const hipLaunchParams& p = launchParamsList[i];
    if (hipError_t status =
            launch_stub(p.func, p.gridDim, p.blockDim, p.args, p.sharedMem, p.stream))
      HIP_RETURN(status);
  }
  HIP_RETURN(hipSuccess);
}

}  // extern "C"
