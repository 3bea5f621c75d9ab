// Devices among each other: access, links, and the contexts of the driver API. A device has one
// context, its primary one; the handle is the device itself.
#include <hsa/hsa_ext_amd.h>

#include <algorithm>

#include "hip/core/api.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"
#include "hip/memory/peers.h"

namespace vgpu::hip {
namespace {

// The virtual device reaches all memory of all GPUs; who may reach it officially is for the runtime
// to know, and for tools that ask it.
struct Peers {
  std::mutex mutex;
  std::set<std::pair<int, int>> enabled;  // from, to
};

Peers& peers() {
  static Peers* instance = new Peers();
  return *instance;
}

thread_local std::vector<int> context_stack;

hipError_t check(int device) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  return device >= 0 && device < runtime.device_count() ? hipSuccess : hipErrorInvalidDevice;
}

hipError_t check_pair(int first, int second) {
  if (hipError_t status = check(first)) return status;
  return check(second);
}

// Of all memory that a device has when its peers change.
void tell_runtime(int device) {
  for (const Allocation& allocation : MemoryMap::get().of_device(device))
    open_to_peers(Runtime::get().device(device), reinterpret_cast<void*>(allocation.base));
}

hipError_t enable(int peer, unsigned flags) {
  if (flags) return hipErrorInvalidValue;
  if (hipError_t status = check(peer)) return status;
  const int own = Runtime::get().current_index();
  if (own == peer) return hipErrorInvalidDevice;
  {
    std::lock_guard<std::mutex> hold(peers().mutex);
    if (!peers().enabled.insert({own, peer}).second) return hipErrorPeerAccessAlreadyEnabled;
  }
  tell_runtime(peer);
  return hipSuccess;
}

hipError_t disable(int peer) {
  if (hipError_t status = check(peer)) return status;
  {
    std::lock_guard<std::mutex> hold(peers().mutex);
    if (!peers().enabled.erase({Runtime::get().current_index(), peer}))
      return hipErrorPeerAccessNotEnabled;
  }
  tell_runtime(peer);
  return hipSuccess;
}

hipCtx_t context_of(int device) {
  return reinterpret_cast<hipCtx_t>(&Runtime::get().device(device));
}

// -1 for a handle that is no context.
int device_of(hipCtx_t context) {
  Runtime& runtime = Runtime::get();
  for (int i = 0; i < runtime.device_count(); ++i)
    if (context_of(i) == context) return i;
  return -1;
}

hipError_t push(hipCtx_t context) {
  const int device = device_of(context);
  if (device < 0) return hipErrorInvalidContext;
  context_stack.push_back(Runtime::get().current_index());
  return Runtime::get().set_current(device);
}

}  // namespace

void open_to_peers(const Device& device, void* memory) {
  if (Runtime::get().device_count() == 1) return;
  std::vector<hsa_agent_t> allowed{device.agent};
  {
    std::lock_guard<std::mutex> hold(peers().mutex);
    for (const auto& [from, to] : peers().enabled)
      if (to == device.index) allowed.push_back(Runtime::get().device(from).agent);
  }
  hsa_amd_agents_allow_access(static_cast<uint32_t>(allowed.size()), allowed.data(), nullptr,
                              memory);
}
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipDeviceCanAccessPeer(int* canAccessPeer, int deviceId, int peerDeviceId) {
  HIP_API(hipDeviceCanAccessPeer, canAccessPeer, deviceId, peerDeviceId);
  if (!canAccessPeer) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check_pair(deviceId, peerDeviceId)) HIP_RETURN(status);
  *canAccessPeer = deviceId != peerDeviceId;
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned flags) {
  HIP_API(hipDeviceEnablePeerAccess, peerDeviceId, flags);
  HIP_RETURN(enable(peerDeviceId, flags));
}

hipError_t hipDeviceDisablePeerAccess(int peerDeviceId) {
  HIP_API(hipDeviceDisablePeerAccess, peerDeviceId);
  HIP_RETURN(disable(peerDeviceId));
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attr, int srcDevice,
                                    int dstDevice) {
  HIP_API(hipDeviceGetP2PAttribute, value, attr, srcDevice, dstDevice);
  if (!value) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check_pair(srcDevice, dstDevice)) HIP_RETURN(status);
  if (srcDevice == dstDevice) HIP_RETURN(hipErrorInvalidDevice);
  switch (attr) {
    case hipDevP2PAttrPerformanceRank: *value = 1; break;
    case hipDevP2PAttrAccessSupported: *value = 1; break;
    case hipDevP2PAttrNativeAtomicSupported: *value = 1; break;
    case hipDevP2PAttrHipArrayAccessSupported: *value = 0; break;
    default: HIP_RETURN(hipErrorInvalidValue);
  }
  HIP_RETURN(hipSuccess);
}

hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t* linktype,
                                        uint32_t* hopcount) {
  HIP_API(hipExtGetLinkTypeAndHopCount, device1, device2, linktype, hopcount);
  if (!linktype || !hopcount || device1 == device2 || device1 < 0 || device2 < 0)
    HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check_pair(device1, device2)) HIP_RETURN(status);
  constexpr uint32_t kXgmi = 4;  // HSA_AMD_LINK_INFO_TYPE_XGMI
  *linktype = kXgmi;
  *hopcount = 1;
  HIP_RETURN(hipSuccess);
}

hipError_t hipCtxCreate(hipCtx_t* ctx, unsigned flags, hipDevice_t device) {
  HIP_API(hipCtxCreate, ctx, flags, device);
  if (!ctx) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  *ctx = context_of(device);
  HIP_RETURN(push(*ctx));
}

hipError_t hipCtxDestroy(hipCtx_t ctx) {
  HIP_API(hipCtxDestroy, ctx);
  HIP_RETURN(device_of(ctx) < 0 ? hipErrorInvalidValue : hipSuccess);
}

hipError_t hipCtxPushCurrent(hipCtx_t ctx) {
  HIP_API(hipCtxPushCurrent, ctx);
  HIP_RETURN(push(ctx));
}

hipError_t hipCtxPopCurrent(hipCtx_t* ctx) {
  HIP_API(hipCtxPopCurrent, ctx);
  if (context_stack.empty()) HIP_RETURN(hipErrorInvalidContext);
  if (ctx) *ctx = context_of(Runtime::get().current_index());
  const int below = context_stack.back();
  context_stack.pop_back();
  HIP_RETURN(Runtime::get().set_current(below));
}

hipError_t hipCtxSetCurrent(hipCtx_t ctx) {
  HIP_API(hipCtxSetCurrent, ctx);
  if (!ctx) HIP_RETURN(hipSuccess);
  const int device = device_of(ctx);
  HIP_RETURN(device < 0 ? hipErrorInvalidContext : Runtime::get().set_current(device));
}

hipError_t hipCtxGetCurrent(hipCtx_t* ctx) {
  HIP_API(hipCtxGetCurrent, ctx);
  if (!ctx) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(Runtime::get().current_index())) HIP_RETURN(status);
  *ctx = context_of(Runtime::get().current_index());
  HIP_RETURN(hipSuccess);
}

hipError_t hipCtxGetDevice(hipDevice_t* device) {
  HIP_API(hipCtxGetDevice, device);
  if (!device) HIP_RETURN(hipErrorInvalidValue);
  *device = Runtime::get().current_index();
  HIP_RETURN(Runtime::get().status());
}

hipError_t hipCtxGetApiVersion(hipCtx_t ctx, unsigned* apiVersion) {
  HIP_API(hipCtxGetApiVersion, ctx, apiVersion);
  if (!apiVersion) HIP_RETURN(hipErrorInvalidValue);
  *apiVersion = HIP_VERSION_MAJOR;
  HIP_RETURN(hipSuccess);
}

hipError_t hipCtxGetCacheConfig(hipFuncCache_t* cacheConfig) {
  return hipDeviceGetCacheConfig(cacheConfig);
}
hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig) {
  return hipDeviceSetCacheConfig(cacheConfig);
}
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) {
  return hipDeviceSetSharedMemConfig(config);
}
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* pConfig) {
  return hipDeviceGetSharedMemConfig(pConfig);
}
hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }
hipError_t hipCtxGetFlags(unsigned* flags) { return hipGetDeviceFlags(flags); }

hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned flags) {
  HIP_API(hipCtxEnablePeerAccess, peerCtx, flags);
  HIP_RETURN(enable(device_of(peerCtx), flags));
}

hipError_t hipCtxDisablePeerAccess(hipCtx_t peerCtx) {
  HIP_API(hipCtxDisablePeerAccess, peerCtx);
  HIP_RETURN(disable(device_of(peerCtx)));
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* pctx, hipDevice_t dev) {
  HIP_API(hipDevicePrimaryCtxRetain, pctx, dev);
  if (!pctx) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(dev)) HIP_RETURN(status);
  *pctx = context_of(dev);
  HIP_RETURN(hipSuccess);
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev) {
  HIP_API(hipDevicePrimaryCtxRelease, dev);
  HIP_RETURN(check(dev));
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t dev) {
  HIP_API(hipDevicePrimaryCtxReset, dev);
  if (hipError_t status = check(dev)) HIP_RETURN(status);
  Runtime::get().reset_device(Runtime::get().device(dev));
  HIP_RETURN(hipSuccess);
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned flags) {
  HIP_API(hipDevicePrimaryCtxSetFlags, dev, flags);
  HIP_RETURN(check(dev));
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned* flags, int* active) {
  HIP_API(hipDevicePrimaryCtxGetState, dev, flags, active);
  if (!flags || !active) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(dev)) HIP_RETURN(status);
  *flags = 0;
  *active = dev == Runtime::get().current_index();
  HIP_RETURN(hipSuccess);
}

}  // extern "C"
