#include "hip/device/device_properties.h"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

#include "hip/core/runtime.h"

namespace vgpu::hip {
namespace {

constexpr int kRegistersPerUnit = arch::calibration::kSimdsPerUnit *
                                  arch::calibration::kRegistersPerLane *
                                  arch::calibration::kWaveLanes;
constexpr int kTexture1D = 16384, kTexture2D = 16384, kTexture3D = 2048;
constexpr int kWallClockKhz = 1000000 / arch::calibration::kRealTimeClockNs;  // s_memrealtime

uint32_t ask(const Device& device, int what) {
  uint32_t value = 0;
  hsa_agent_get_info(device.agent, static_cast<hsa_agent_info_t>(what), &value);
  return value;
}

// "GPU-86d1e1..." after the dash becomes the 16 bytes, as HIP does it.
void fill_uuid(const Device& device, hipUUID& uuid) {
  char text[32] = {};
  hsa_agent_get_info(device.agent, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_UUID), text);
  const char* digits = std::strchr(text, '-');
  std::memset(uuid.bytes, 0, sizeof uuid.bytes);
  if (digits) std::memcpy(uuid.bytes, digits + 1, strnlen(digits + 1, sizeof uuid.bytes));
}

void fill_identity(const Device& device, hipDeviceProp_t& p) {
  hsa_agent_get_info(device.agent, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME),
                     p.name);
  fill_uuid(device, p.uuid);
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s:sramecc+:xnack-", device.name.c_str());
  p.major = 9;
  p.minor = 4;
  const uint32_t place = ask(device, HSA_AMD_AGENT_INFO_BDFID);
  p.pciDomainID = static_cast<int>(ask(device, HSA_AMD_AGENT_INFO_DOMAIN));
  p.pciBusID = static_cast<int>(place >> 8 & 0xff);
  p.pciDeviceID = static_cast<int>(place >> 3 & 0x1f);
  p.asicRevision = static_cast<int>(ask(device, HSA_AMD_AGENT_INFO_ASIC_REVISION));
}

void fill_compute(const Device& device, hipDeviceProp_t& p) {
  p.warpSize = static_cast<int>(ask(device, HSA_AGENT_INFO_WAVEFRONT_SIZE));
  p.multiProcessorCount = static_cast<int>(ask(device, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT));
  p.maxThreadsPerMultiProcessor =
      static_cast<int>(ask(device, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU)) * p.warpSize;
  p.maxBlocksPerMultiProcessor = p.maxThreadsPerMultiProcessor / p.warpSize;
  p.maxThreadsPerBlock = kMostThreadsPerBlock;
  std::fill_n(p.maxThreadsDim, 3, kMostThreadsPerBlock);
  hsa_dim3_t grid{};
  hsa_agent_get_info(device.agent, HSA_AGENT_INFO_GRID_MAX_DIM, &grid);
  const uint32_t largest[] = {grid.x, grid.y, grid.z};
  for (int i = 0; i < 3; ++i)
    p.maxGridSize[i] = static_cast<int>(std::min<uint32_t>(largest[i], INT_MAX));
  p.clockRate = static_cast<int>(ask(device, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY)) * 1000;
  p.clockInstructionRate = kWallClockKhz;
  p.regsPerBlock = p.regsPerMultiprocessor = kRegistersPerUnit;
  p.concurrentKernels = p.cooperativeLaunch = p.cooperativeMultiDeviceLaunch = 1;
  p.streamPrioritiesSupported = p.computePreemptionSupported = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.arch = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0};
}

void fill_memory(const Device& device, hipDeviceProp_t& p) {
  p.totalGlobalMem = device.memory_bytes;
  p.totalConstMem = static_cast<size_t>(INT_MAX);
  p.memPitch = INT_MAX;
  p.memoryClockRate = static_cast<int>(ask(device, HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY)) * 1000;
  p.memoryBusWidth = static_cast<int>(ask(device, HSA_AMD_AGENT_INFO_MEMORY_WIDTH));
  uint32_t caches[4] = {};
  hsa_agent_get_info(device.agent, HSA_AGENT_INFO_CACHE_SIZE, caches);
  p.l2CacheSize = static_cast<int>(caches[1]);
  p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = kLdsBytes;
  p.sharedMemPerBlockOptin = p.maxSharedMemoryPerMultiProcessor = kLdsBytes;
  p.asyncEngineCount = static_cast<int>(ask(device, HSA_AMD_AGENT_INFO_NUM_SDMA_ENG));
  p.deviceOverlap = p.asyncEngineCount > 0;
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = 1;
  p.concurrentManagedAccess = p.canUseHostPointerForRegisteredMem = 1;
  p.hostRegisterSupported = p.memoryPoolsSupported = p.hostNativeAtomicSupported = 1;
  p.memoryPoolSupportedHandleTypes = hipMemHandleTypeNone;
  p.ECCEnabled = p.isLargeBar = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
}

// Limits that HIP reports for linear and image textures although gfx942 has no image hardware.
void fill_textures(hipDeviceProp_t& p) {
  p.maxTexture1D = kTexture1D;
  p.maxTexture1DMipmap = kTexture1D;
  p.maxTexture1DLinear = INT_MAX;
  std::fill_n(p.maxTexture2D, 2, kTexture2D);
  std::fill_n(p.maxTexture3D, 3, kTexture3D);
  p.textureAlignment = p.texturePitchAlignment = p.surfaceAlignment = 256;
}

}  // namespace

hipDeviceProp_t device_properties(const Device& device) {
  hipDeviceProp_t properties;
  std::memset(&properties, 0, sizeof properties);
  fill_identity(device, properties);
  fill_compute(device, properties);
  fill_memory(device, properties);
  fill_textures(properties);
  return properties;
}

hipError_t device_attribute(const Device& device, hipDeviceAttribute_t which, int* value) {
  const hipDeviceProp_t p = device_properties(device);
  auto give = [value](size_t number) {
    *value = static_cast<int>(std::min<size_t>(number, INT_MAX));
    return hipSuccess;
  };
  auto give_address = [value](const unsigned* address) {
    std::memcpy(value, &address, sizeof address);
    return hipSuccess;
  };
  switch (which) {
#define ATTRIBUTE(name, number) \
  case hipDeviceAttribute##name: return give(static_cast<size_t>(number));
#include "hip/device/device_attributes.inc"
#undef ATTRIBUTE
    // The only two that are addresses: the caller gives room for one.
    case hipDeviceAttributeHdpMemFlushCntl: return give_address(p.hdpMemFlushCntl);
    case hipDeviceAttributeHdpRegFlushCntl: return give_address(p.hdpRegFlushCntl);
    default: return hipErrorInvalidValue;
  }
}

}  // namespace vgpu::hip
