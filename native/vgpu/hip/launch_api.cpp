#include "api.h"
#include "launch.h"
#include "runtime.h"
#include "stream.h"

#include <memory>
#include <vector>

namespace vgpu::hip {
namespace {

// <<<grid, block, lds, stream>>> pushes these; the host stub of the kernel pops them.
struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
};
thread_local std::vector<CallConfiguration> configurations;

hipError_t launch(Function& function, const void* handle, dim3 grid, dim3 block, size_t shared,
                  hipStream_t stream, void** parameters, void** extra) {
  LaunchShape shape;
  if (hipError_t status = make_shape(function, grid, block, shared, shape)) return status;
  std::vector<uint8_t> arguments;
  if (parameters) {
    arguments = pack_arguments(function.metadata, parameters);
  } else if (extra) {
    if (hipError_t status = unpack_extra(extra, arguments)) return status;
  }
  return submit(stream,
                std::make_shared<KernelTask>(function, shape, std::move(arguments), handle));
}

hipError_t launch_stub(const void* stub, dim3 grid, dim3 block, void** args, size_t shared,
                       hipStream_t stream) {
  Function* function = nullptr;
  if (hipError_t status = find_function(stub, &function)) return status;
  return launch(*function, stub, grid, block, shared, stream, args, nullptr);
}

Function* function_of(hipFunction_t handle) { return reinterpret_cast<Function*>(handle); }

// All workgroups of a cooperative launch must be resident together.
hipError_t check_cooperative(const Function& function, dim3 grid, dim3 block, size_t shared) {
  int per_unit = 0;
  uint64_t threads = uint64_t{block.x} * block.y * block.z;
  hipError_t status = hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_unit, reinterpret_cast<hipFunction_t>(const_cast<Function*>(&function)),
      static_cast<int>(threads), shared);
  if (status != hipSuccess) return status;
  int units = 0;
  status = hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount,
                                 Runtime::get().current_index());
  if (status != hipSuccess) return status;
  uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  return blocks <= uint64_t(per_unit) * units ? hipSuccess : hipErrorCooperativeLaunchTooLarge;
}

hipError_t launch_cooperative(Function& function, dim3 grid, dim3 block, void** args,
                              size_t shared, hipStream_t stream) {
  if (hipError_t status = check_cooperative(function, grid, block, shared)) return status;
  return launch(function, &function, grid, block, shared, stream, args, nullptr);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                      hipStream_t stream) {
  configurations.push_back({gridDim, blockDim, sharedMem, stream});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                     hipStream_t* stream) {
  if (configurations.empty()) return hipErrorMissingConfiguration;
  CallConfiguration top = configurations.back();
  configurations.pop_back();
  *gridDim = top.grid;
  *blockDim = top.block;
  *sharedMem = top.shared;
  *stream = top.stream;
  return hipSuccess;
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

hipError_t hipLaunchCooperativeKernel(const void* f, dim3 gridDim, dim3 blockDimX,
                                      void** kernelParams, unsigned sharedMemBytes,
                                      hipStream_t stream) {
  HIP_API(hipLaunchCooperativeKernel, f, gridDim, blockDimX, kernelParams, sharedMemBytes, stream);
  Function* function = nullptr;
  if (hipError_t status = find_function(f, &function)) HIP_RETURN(status);
  HIP_RETURN(launch_cooperative(*function, gridDim, blockDimX, kernelParams, sharedMemBytes,
                                stream));
}

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gridDimX, unsigned gridDimY,
                                 unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
                                 unsigned blockDimZ, unsigned sharedMemBytes, hipStream_t stream,
                                 void** kernelParams, void** extra) {
  HIP_API(hipModuleLaunchKernel, f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
          sharedMemBytes, stream, kernelParams, extra);
  if (!f) HIP_RETURN(hipErrorInvalidImage);
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
  if (!f) HIP_RETURN(hipErrorInvalidImage);
  HIP_RETURN(launch_cooperative(*function_of(f), dim3(gridDimX, gridDimY, gridDimZ),
                                dim3(blockDimX, blockDimY, blockDimZ), kernelParams,
                                sharedMemBytes, stream));
}

}  // extern "C"
