// Devices: how many, which one, what they are, and waiting for them.
#include <cstdio>
#include <cstring>

#include "hip/core/api.h"
#include "hip/core/device_services.h"
#include "hip/core/graph_capture.h"
#include "hip/core/runtime.h"
#include "hip/device/device_properties.h"
#include "hip/memory/pool.h"

namespace vgpu::hip {
namespace {

constexpr int kVersion = HIP_VERSION;

std::atomic<unsigned> device_flags{hipDeviceScheduleAuto};

hipError_t check(int device) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  return device >= 0 && device < runtime.device_count() ? hipSuccess : hipErrorInvalidDevice;
}

hipError_t copy_text(char* target, int length, const char* text) {
  if (!target || length <= 0) return hipErrorInvalidValue;
  std::snprintf(target, static_cast<size_t>(length), "%s", text);
  return hipSuccess;
}

void bus_id(const hipDeviceProp_t& p, char (&text)[16]) {
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", p.pciDomainID & 0xffff, p.pciBusID & 0xff,
                p.pciDeviceID & 0xff);
}

hipError_t find_bus_id(int* device, const char* wanted) {
  if (!device || !wanted) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  for (int i = 0; i < runtime.device_count(); ++i) {
    char text[16];
    bus_id(device_properties(runtime.device(i)), text);
    if (strcasecmp(text, wanted) != 0) continue;
    *device = i;
    return hipSuccess;
  }
  return hipErrorInvalidValue;
}

// Properties that are set in `wanted` count a point each when the device has at least as much.
int score(const hipDeviceProp_t& has, const hipDeviceProp_t& wanted) {
  auto point = [](auto own, auto other) { return other != 0 && own >= other ? 1 : 0; };
  return point(has.totalGlobalMem, wanted.totalGlobalMem) + point(has.major, wanted.major) +
         point(has.multiProcessorCount, wanted.multiProcessorCount) +
         point(has.clockRate, wanted.clockRate) +
         point(has.maxThreadsPerBlock, wanted.maxThreadsPerBlock) +
         point(has.sharedMemPerBlock, wanted.sharedMemPerBlock);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipInit(unsigned flags) {
  HIP_API(hipInit, flags);
  HIP_RETURN(flags ? hipErrorInvalidValue : Runtime::get().status());
}

hipError_t hipDriverGetVersion(int* driverVersion) {
  HIP_API(hipDriverGetVersion, driverVersion);
  if (!driverVersion) HIP_RETURN(hipErrorInvalidValue);
  *driverVersion = kVersion;
  HIP_RETURN(hipSuccess);
}

hipError_t hipRuntimeGetVersion(int* runtimeVersion) {
  HIP_API(hipRuntimeGetVersion, runtimeVersion);
  if (!runtimeVersion) HIP_RETURN(hipErrorInvalidValue);
  *runtimeVersion = kVersion;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGetDeviceCount(int* count) {
  HIP_API(hipGetDeviceCount, count);
  if (!count) HIP_RETURN(hipErrorInvalidValue);
  *count = Runtime::get().device_count();
  HIP_RETURN(*count ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipGetDevice(int* deviceId) {
  HIP_API(hipGetDevice, deviceId);
  if (!deviceId) HIP_RETURN(hipErrorInvalidValue);
  *deviceId = Runtime::get().current_index();
  HIP_RETURN(Runtime::get().status());
}

hipError_t hipSetDevice(int deviceId) {
  HIP_API(hipSetDevice, deviceId);
  Runtime& runtime = Runtime::get();
  HIP_RETURN(runtime.status() == hipSuccess ? runtime.set_current(deviceId) : runtime.status());
}

hipError_t hipSetValidDevices(int* device_arr, int len) {
  HIP_API(hipSetValidDevices, device_arr, len);
  if (len < 0 || (len && !device_arr)) HIP_RETURN(hipErrorInvalidValue);
  for (int i = 0; i < len; ++i)
    if (hipError_t status = check(device_arr[i])) HIP_RETURN(status);
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  HIP_API(hipDeviceGet, device, ordinal);
  if (!device) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(ordinal)) HIP_RETURN(status);
  *device = ordinal;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* prop, int deviceId) {
  HIP_API(hipGetDevicePropertiesR0600, prop, deviceId);
  if (!prop) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(deviceId)) HIP_RETURN(status);
  *prop = device_properties(Runtime::get().device(deviceId));
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGetAttribute(int* pi, hipDeviceAttribute_t attr, int deviceId) {
  HIP_API(hipDeviceGetAttribute, pi, attr, deviceId);
  if (!pi) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(deviceId)) HIP_RETURN(status);
  HIP_RETURN(device_attribute(Runtime::get().device(deviceId), attr, pi));
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  HIP_API(hipDeviceComputeCapability, major, minor, device);
  if (!major || !minor) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  const hipDeviceProp_t p = device_properties(Runtime::get().device(device));
  *major = p.major;
  *minor = p.minor;
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGetName(char* name, int len, hipDevice_t device) {
  HIP_API(hipDeviceGetName, name, len, device);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  HIP_RETURN(copy_text(name, len, device_properties(Runtime::get().device(device)).name));
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  HIP_API(hipDeviceGetUuid, uuid, device);
  if (!uuid) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  *uuid = device_properties(Runtime::get().device(device)).uuid;
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  HIP_API(hipDeviceGetPCIBusId, pciBusId, len, device);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  char text[16];
  bus_id(device_properties(Runtime::get().device(device)), text);
  HIP_RETURN(copy_text(pciBusId, len, text));
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  HIP_API(hipDeviceGetByPCIBusId, device, pciBusId);
  HIP_RETURN(find_bus_id(device, pciBusId));
}

hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600* prop) {
  HIP_API(hipChooseDeviceR0600, device, prop);
  if (!device || !prop) HIP_RETURN(hipErrorInvalidValue);
  Runtime& runtime = Runtime::get();
  int best = -1;
  for (int i = 0; i < runtime.device_count(); ++i) {
    int points = score(device_properties(runtime.device(i)), *prop);
    if (points <= best) continue;
    best = points;
    *device = i;
  }
  HIP_RETURN(runtime.status());
}

hipError_t hipDeviceSynchronize() {
  HIP_API(hipDeviceSynchronize);
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) HIP_RETURN(runtime.status());
  if (hipError_t status = capture_forbids_synchronizing()) HIP_RETURN(status);
  runtime.synchronize_device(runtime.current());
  release_freed_memory(runtime.current_index(), nullptr);
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceReset() {
  HIP_API(hipDeviceReset);
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) HIP_RETURN(runtime.status());
  runtime.reset_device(runtime.current());
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGetLimit(size_t* pValue, hipLimit_t limit) {
  HIP_API(hipDeviceGetLimit, pValue, limit);
  if (!pValue || limit >= hipLimitRange) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(get_device_limit(limit, pValue) ? hipSuccess : hipErrorUnsupportedLimit);
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  HIP_API(hipDeviceSetLimit, limit, value);
  if (limit >= hipLimitRange) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(set_device_limit(limit, value) ? hipSuccess : hipErrorUnsupportedLimit);
}

// The device has one split of its caches and one LDS bank width; HIP accepts the hints.
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig) {
  HIP_API(hipDeviceSetCacheConfig, cacheConfig);
  if (cacheConfig < hipFuncCachePreferNone || cacheConfig > hipFuncCachePreferEqual)
    HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = capture_forbids_waiting()) HIP_RETURN(status);
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* cacheConfig) {
  HIP_API(hipDeviceGetCacheConfig, cacheConfig);
  if (!cacheConfig) HIP_RETURN(hipErrorInvalidValue);
  *cacheConfig = hipFuncCachePreferNone;
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  HIP_API(hipDeviceSetSharedMemConfig, config);
  if (config < hipSharedMemBankSizeDefault || config > hipSharedMemBankSizeEightByte)
    HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = capture_forbids_waiting()) HIP_RETURN(status);
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* pConfig) {
  HIP_API(hipDeviceGetSharedMemConfig, pConfig);
  if (!pConfig) HIP_RETURN(hipErrorInvalidValue);
  *pConfig = hipSharedMemBankSizeFourByte;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGetDeviceFlags(unsigned* flags) {
  HIP_API(hipGetDeviceFlags, flags);
  if (!flags) HIP_RETURN(hipErrorInvalidValue);
  *flags = device_flags & hipDeviceScheduleMask;
  HIP_RETURN(hipSuccess);
}

hipError_t hipSetDeviceFlags(unsigned flags) {
  HIP_API(hipSetDeviceFlags, flags);
  constexpr unsigned kKnown = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
  const unsigned schedule = flags & hipDeviceScheduleMask;
  if (flags & ~kKnown || (schedule & (schedule - 1))) HIP_RETURN(hipErrorInvalidValue);
  device_flags = flags;
  HIP_RETURN(hipSuccess);
}

}  // extern "C"
