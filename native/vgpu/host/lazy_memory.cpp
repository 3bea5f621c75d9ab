#include "host/lazy_memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace vgpu {

LazyMemory::~LazyMemory() {
  if (base_) munmap(base_, bytes_);
}

uint8_t* LazyMemory::reserve(size_t bytes) {
  if (bytes <= bytes_) return base_;
  if (base_) munmap(base_, bytes_);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "virtual MI300X: no host memory for %zu bytes of wave state\n", bytes);
    std::abort();
  }
  base_ = static_cast<uint8_t*>(memory);
  bytes_ = bytes;
  return base_;
}

}  // namespace vgpu
