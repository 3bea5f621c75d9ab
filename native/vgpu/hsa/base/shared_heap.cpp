#include "hsa/base/shared_heap.h"

#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "device/device.h"
#include "hsa/base/aperture.h"

namespace vrocm {
namespace {

constexpr size_t kSlot = 64;
constexpr size_t kChunk = 64 * 1024;
// Reserved on both sides and never mapped: a kernel that runs past the end of its own buffer faults
// there, as on a GPU, and does not erase the packet that the queue waits for.
constexpr size_t kGuard = kLargePage;

struct Heap {
  std::mutex mutex;
  std::map<size_t, std::vector<void*>> free_by_size;
  char* chunk = nullptr;
  size_t used = kChunk;
};

Heap& heap() {
  static Heap* instance = new Heap;
  return *instance;
}

void* map_chunk(size_t bytes) {
  Aperture& aperture = Aperture::get();
  const uint64_t reserved = aperture.reserve(bytes + 2 * kGuard, kPageSize);
  const uint64_t address = reserved + kGuard;
  if (!reserved || !Aperture::commit(address, bytes)) return nullptr;
  vgpu::map_memory(address, bytes, vgpu::MemoryKind::Host, "runtime signals and queues");
  return reinterpret_cast<void*>(address);
}

}  // namespace

void* shared_allocate(size_t bytes) {
  const size_t size = align_up(bytes, kSlot);
  Heap& h = heap();
  std::lock_guard<std::mutex> lock(h.mutex);
  std::vector<void*>& reusable = h.free_by_size[size];
  if (!reusable.empty()) {
    void* pointer = reusable.back();
    reusable.pop_back();
    std::memset(pointer, 0, size);
    return pointer;
  }
  if (size > kChunk / 4) return map_chunk(align_up(size, kPageSize));
  if (h.used + size > kChunk) {
    h.chunk = static_cast<char*>(map_chunk(kChunk));
    h.used = 0;
    if (!h.chunk) {
      h.used = kChunk;
      return nullptr;
    }
  }
  void* pointer = h.chunk + h.used;
  h.used += size;
  return pointer;
}

void shared_free(void* pointer, size_t bytes) {
  Heap& h = heap();
  std::lock_guard<std::mutex> lock(h.mutex);
  h.free_by_size[align_up(bytes, kSlot)].push_back(pointer);
}

}  // namespace vrocm
