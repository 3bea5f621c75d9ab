// Host memory that grows by being replaced and is backed by pages only where it is touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vgpu {

class LazyMemory {
 public:
  LazyMemory() = default;
  ~LazyMemory();
  LazyMemory(const LazyMemory&) = delete;
  LazyMemory& operator=(const LazyMemory&) = delete;
  // At least `bytes`, zeros when they are new; contents undefined when it grows.
  uint8_t* reserve(size_t bytes);

 private:
  uint8_t* base_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace vgpu
