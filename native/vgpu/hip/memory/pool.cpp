#include "hip/memory/pool.h"

#include <algorithm>
#include <map>
#include <vector>

#include "hip/core/memory.h"
#include "hip/core/runtime.h"

namespace vgpu::hip {
namespace {

struct Origin {
  Pool* pool;
  size_t bytes;
};

struct Pools {
  std::mutex mutex;
  std::map<int, Pool*> standard, current;
  std::map<const void*, Origin> origin;
};

Pools& pools() {
  static Pools* instance = new Pools();
  return *instance;
}

std::vector<Pool*> pools_in_use(int device) {
  std::vector<Pool*> found;  // in the order of addresses, which is the program's own
  std::lock_guard<std::mutex> hold(pools().mutex);
  for (const auto& [pointer, origin] : pools().origin)
    if (origin.pool->device() == device &&
        std::find(found.begin(), found.end(), origin.pool) == found.end())
      found.push_back(origin.pool);
  return found;
}

}  // namespace

void* Pool::take_parked(size_t bytes, uint64_t stream) {
  auto best = parked_.end();
  for (auto it = parked_.begin(); it != parked_.end(); ++it)
    if (it->stream == stream && it->bytes >= bytes &&
        (best == parked_.end() || it->bytes < best->bytes))
      best = it;
  if (best == parked_.end()) return nullptr;
  void* pointer = best->pointer;
  used_ += best->bytes;
  used_high_ = std::max(used_high_, used_);
  parked_.erase(best);
  MemoryMap::get().hand_out_again(pointer);
  return pointer;
}

hipError_t Pool::allocate(void** pointer, size_t bytes, const Stream& stream) {
  *pointer = nullptr;
  if (imported_) return hipErrorInvalidValue;
  if (bytes == 0) return hipSuccess;
  {
    std::lock_guard<std::mutex> hold(mutex_);
    *pointer = take_parked(bytes, stream.id());
    if (*pointer) return hipSuccess;
    if (limit_ && bytes > limit_ - std::min<size_t>(used_, limit_)) return hipErrorOutOfMemory;
  }
  Device& device = Runtime::get().device(device_);
  if (allocate_on(device, pointer, bytes, 0) != hipSuccess) {
    Runtime::get().synchronize_device(device);
    release_parked(nullptr, 0);
    if (hipError_t status = allocate_on(device, pointer, bytes, 0)) return status;
  }
  std::lock_guard<std::mutex> hold(mutex_);
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
  reserved_ += bytes;
  reserved_high_ = std::max(reserved_high_, reserved_);
  std::lock_guard<std::mutex> hold_origin(pools().mutex);
  pools().origin[*pointer] = {this, bytes};
  return hipSuccess;
}

void Pool::park(void* pointer, size_t bytes, const Stream& stream, CompletionPtr point) {
  std::lock_guard<std::mutex> hold(mutex_);
  parked_.push_back({pointer, bytes, stream.id(), std::move(point)});
  used_ -= std::min<uint64_t>(used_, bytes);
}

void Pool::left(const void* pointer, size_t bytes) {
  std::lock_guard<std::mutex> hold(mutex_);
  auto is_it = [pointer](const Parked& parked) { return parked.pointer == pointer; };
  auto parked = std::find_if(parked_.begin(), parked_.end(), is_it);
  if (parked != parked_.end()) parked_.erase(parked);
  else used_ -= std::min<uint64_t>(used_, bytes);
  reserved_ -= std::min<uint64_t>(reserved_, bytes);
}

void Pool::release_parked(const Stream* stream, size_t keep) {
  std::vector<void*> released;
  {
    std::lock_guard<std::mutex> hold(mutex_);
    uint64_t held = 0;
    for (const Parked& parked : parked_) held += parked.bytes;
    for (const Parked& parked : parked_) {
      if (held <= keep) break;
      if ((stream && parked.stream != stream->id()) || !parked.point->done()) continue;
      held -= parked.bytes;
      released.push_back(parked.pointer);
    }
  }
  for (void* pointer : released) (void)release_now(pointer);
}

void Pool::release_above_threshold(const Stream* stream) {
  uint64_t keep = 0;
  {
    std::lock_guard<std::mutex> hold(mutex_);
    keep = release_threshold_;
  }
  release_parked(stream, keep);
}

bool Pool::holds_parked(const void* pointer) const {
  std::lock_guard<std::mutex> hold(mutex_);
  auto is_it = [pointer](const Parked& parked) { return parked.pointer == pointer; };
  return std::any_of(parked_.begin(), parked_.end(), is_it);
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
    case hipMemPoolAttrReservedMemCurrent: *number = reserved_; return hipSuccess;
    case hipMemPoolAttrReservedMemHigh: *number = reserved_high_; return hipSuccess;
    case hipMemPoolAttrUsedMemCurrent: *number = used_; return hipSuccess;
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
      if (attribute == hipMemPoolAttrUsedMemHigh) used_high_ = used_;
      else reserved_high_ = reserved_;
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

Pool* pool_of(const void* pointer) {
  std::lock_guard<std::mutex> hold(pools().mutex);
  auto known = pools().origin.find(pointer);
  return known == pools().origin.end() ? nullptr : known->second.pool;
}

bool is_parked(const void* pointer) {
  Pool* pool = pool_of(pointer);
  return pool && pool->holds_parked(pointer);
}

void leave_pool(const void* pointer) {
  Origin origin{};
  {
    std::lock_guard<std::mutex> hold(pools().mutex);
    auto known = pools().origin.find(pointer);
    if (known == pools().origin.end()) return;
    origin = known->second;
    pools().origin.erase(known);
  }
  origin.pool->left(pointer, origin.bytes);
}

void release_freed_memory(int device, const Stream* stream) {
  for (Pool* pool : pools_in_use(device)) pool->release_above_threshold(stream);
}

}  // namespace vgpu::hip
