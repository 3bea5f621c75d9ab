// Memory pools: the book that hipMallocAsync keeps. The memory itself comes from the device.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <list>
#include <mutex>

#include "hip/core/completion.h"
#include "hip/core/handle_set.h"

namespace vgpu::hip {

class Stream;

class Pool {
 public:
  Pool(int device, size_t limit, hipMemAllocationHandleType shared_as = hipMemHandleTypeNone,
       bool imported = false)
      : device_(device), limit_(limit), shared_as_(shared_as), imported_(imported) {}

  // For work of `stream`: memory that the same stream gave back comes first, whether or not the
  // device has got there. Memory of other streams is not reused while they hold it: whether it is
  // free already depends on real time, and the same program must get the same addresses.
  hipError_t allocate(void** pointer, size_t bytes, const Stream& stream);
  // Holds the memory back for the stream until the stream is waited for, or longer, up to the
  // release threshold. `point` is where the stream is done with it.
  void park(void* pointer, size_t bytes, const Stream& stream, CompletionPtr point);
  void left(const void* pointer, size_t bytes);  // the memory goes back to the device
  // Gives back what is parked, down to a number of bytes. Without a stream: of all streams.
  void release_parked(const Stream* stream, size_t keep);
  void release_above_threshold(const Stream* stream);
  bool holds_parked(const void* pointer) const;

  hipError_t get(hipMemPoolAttr attribute, void* value) const;
  hipError_t set(hipMemPoolAttr attribute, const void* value);
  int device() const { return device_; }
  hipMemAllocationHandleType shared_as() const { return shared_as_; }

 private:
  struct Parked {
    void* pointer;
    size_t bytes;
    uint64_t stream;  // its id: handles are used again
    CompletionPtr point;
  };
  void* take_parked(size_t bytes, uint64_t stream);

  const int device_;
  const size_t limit_;  // 0: none
  const hipMemAllocationHandleType shared_as_;
  const bool imported_;  // of another process: nothing is allocated from it here
  mutable std::mutex mutex_;
  std::list<Parked> parked_;
  uint64_t used_ = 0, used_high_ = 0, reserved_ = 0, reserved_high_ = 0, release_threshold_ = 0;
  int reuse_[3] = {1, 1, 1};
};

// The pool that hipMallocAsync uses on a device, and the one it uses unless told otherwise.
Pool& default_pool(int device);
Pool& current_pool(int device);
void set_current_pool(int device, Pool& pool);
inline Pool* find_pool(hipMemPool_t handle) { return HandleSet<Pool>::get().find(handle); }

// The pool that an allocation came from; null for one of another kind.
Pool* pool_of(const void* pointer);
bool is_parked(const void* pointer);   // given back by hipFreeAsync
void leave_pool(const void* pointer);  // no effect on memory of another kind

// After a wait: pools of the device give back what they hold above their thresholds. With a stream
// only what that stream gave back.
void release_freed_memory(int device, const Stream* stream);

}  // namespace vgpu::hip
