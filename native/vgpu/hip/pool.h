// Memory pools: the book that hipMallocAsync keeps. The memory itself comes from the device.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <mutex>

#include "handle_set.h"

namespace vgpu::hip {

class Pool {
 public:
  Pool(int device, size_t limit) : device_(device), limit_(limit) {}

  hipError_t allocate(void** pointer, size_t bytes);
  void count_free(size_t bytes);
  hipError_t get(hipMemPoolAttr attribute, void* value) const;
  hipError_t set(hipMemPoolAttr attribute, const void* value);
  int device() const { return device_; }

 private:
  const int device_;
  const size_t limit_;                       // 0: none
  mutable std::mutex mutex_;
  uint64_t used_ = 0, used_high_ = 0, release_threshold_ = 0;
  int reuse_[3] = {1, 1, 1};
};

// The pool that hipMallocAsync uses on a device, and the one it uses unless told otherwise.
Pool& default_pool(int device);
Pool& current_pool(int device);
void set_current_pool(int device, Pool& pool);
inline Pool* find_pool(hipMemPool_t handle) { return HandleSet<Pool>::get().find(handle); }

// The pool that an allocation came from; null for one of another kind. Taking forgets it.
Pool* take_pool_of(const void* pointer);

}  // namespace vgpu::hip
