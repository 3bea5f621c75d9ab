#include "pool.h"

#include <algorithm>
#include <map>

#include "memory.h"
#include "runtime.h"

namespace vgpu::hip {
namespace {

struct Pools {
  std::mutex mutex;
  std::map<int, Pool*> standard, current;
  std::map<const void*, Pool*> origin;
};

Pools& pools() {
  static Pools* instance = new Pools();
  return *instance;
}

}  // namespace

hipError_t Pool::allocate(void** pointer, size_t bytes) {
  {
    std::lock_guard<std::mutex> hold(mutex_);
    if (limit_ && bytes > limit_ - std::min<size_t>(used_, limit_)) return hipErrorOutOfMemory;
  }
  Runtime& runtime = Runtime::get();
  if (hipError_t status = allocate_on(runtime.device(device_), pointer, bytes, 0)) return status;
  std::lock_guard<std::mutex> hold(mutex_);
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
  std::lock_guard<std::mutex> hold_origin(pools().mutex);
  if (*pointer) pools().origin[*pointer] = this;
  return hipSuccess;
}

void Pool::count_free(size_t bytes) {
  std::lock_guard<std::mutex> hold(mutex_);
  used_ -= std::min<uint64_t>(used_, bytes);
}

hipError_t Pool::get(hipMemPoolAttr attribute, void* value) const {
  if (!value) return hipErrorInvalidValue;
  std::lock_guard<std::mutex> hold(mutex_);
  auto* number = static_cast<uint64_t*>(value);
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = reuse_[attribute - hipMemPoolReuseFollowEventDependencies];
      return hipSuccess;
    case hipMemPoolAttrReleaseThreshold: *number = release_threshold_; return hipSuccess;
    case hipMemPoolAttrReservedMemCurrent:   // nothing is held back beyond what is used
    case hipMemPoolAttrUsedMemCurrent: *number = used_; return hipSuccess;
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemHigh: *number = used_high_; return hipSuccess;
    default: return hipErrorInvalidValue;
  }
}

hipError_t Pool::set(hipMemPoolAttr attribute, const void* value) {
  if (!value) return hipErrorInvalidValue;
  std::lock_guard<std::mutex> hold(mutex_);
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
      reuse_[attribute - hipMemPoolReuseFollowEventDependencies] = *static_cast<const int*>(value);
      return hipSuccess;
    case hipMemPoolAttrReleaseThreshold:
      release_threshold_ = *static_cast<const uint64_t*>(value);
      return hipSuccess;
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemHigh:
      if (*static_cast<const uint64_t*>(value) != 0) return hipErrorInvalidValue;
      used_high_ = used_;
      return hipSuccess;
    default: return hipErrorInvalidValue;
  }
}

Pool& default_pool(int device) {
  std::lock_guard<std::mutex> hold(pools().mutex);
  Pool*& pool = pools().standard[device];
  if (!pool) {
    pool = new Pool(device, 0);
    HandleSet<Pool>::get().add(pool);
  }
  return *pool;
}

Pool& current_pool(int device) {
  {
    std::lock_guard<std::mutex> hold(pools().mutex);
    if (Pool* pool = pools().current[device]) return *pool;
  }
  return default_pool(device);
}

void set_current_pool(int device, Pool& pool) {
  std::lock_guard<std::mutex> hold(pools().mutex);
  pools().current[device] = &pool;
}

Pool* take_pool_of(const void* pointer) {
  std::lock_guard<std::mutex> hold(pools().mutex);
  auto known = pools().origin.find(pointer);
  if (known == pools().origin.end()) return nullptr;
  Pool* pool = known->second;
  pools().origin.erase(known);
  return pool;
}

}  // namespace vgpu::hip
