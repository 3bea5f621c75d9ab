#include "hsa/base/aperture.h"

#include <sys/mman.h>

#include <iterator>

namespace vrocm {
namespace {

// Room for the 192 GiB of several devices; less where the address space is limited (ulimit -v).
constexpr size_t kLargestAperture = size_t{1} << 40;
constexpr size_t kSmallestAperture = size_t{1} << 30;

void* map_reserved(void* address, size_t bytes, int extra_flags) {
  return mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | extra_flags,
              -1, 0);
}

}  // namespace

Aperture& Aperture::get() {
  static Aperture* aperture = new Aperture;  // never destroyed: device threads may outlive main
  return *aperture;
}

Aperture::Aperture() {
  for (size_t bytes = kLargestAperture; bytes >= kSmallestAperture; bytes /= 2) {
    void* mapped = map_reserved(nullptr, bytes, 0);
    if (mapped == MAP_FAILED) continue;
    const auto address = reinterpret_cast<uint64_t>(mapped);
    base_ = align_up(address, kLargePage);
    bytes_ = (address + bytes - base_) / kLargePage * kLargePage;
    free_[base_] = bytes_;
    return;
  }
}

uint64_t Aperture::reserve(size_t bytes, size_t alignment) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const uint64_t start = align_up(it->first, alignment);
    const uint64_t end = it->first + it->second;
    if (start >= end || end - start < bytes) continue;
    const uint64_t before = start - it->first;
    const uint64_t after = end - start - bytes;
    if (after) free_[start + bytes] = after;
    if (before) {
      it->second = before;
    } else {
      free_.erase(it);
    }
    return start;
  }
  return 0;
}

bool Aperture::reserve_at(uint64_t address, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = free_.upper_bound(address);
  if (it == free_.begin()) return false;
  --it;
  const uint64_t end = it->first + it->second;
  if (address >= end || end - address < bytes) return false;
  const uint64_t before = address - it->first;
  const uint64_t after = end - address - bytes;
  if (after) free_[address + bytes] = after;
  if (before) {
    it->second = before;
  } else {
    free_.erase(it);
  }
  return true;
}

void Aperture::release(uint64_t address, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = free_.emplace(address, bytes).first;
  auto next = std::next(it);
  if (next != free_.end() && it->first + it->second == next->first) {
    it->second += next->second;
    free_.erase(next);
  }
  if (it != free_.begin()) {
    auto previous = std::prev(it);
    if (previous->first + previous->second == it->first) {
      previous->second += it->second;
      free_.erase(it);
    }
  }
}

bool Aperture::commit(uint64_t address, size_t bytes) {
  return mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE) == 0;
}

void Aperture::discard(uint64_t address, size_t bytes) {
  map_reserved(reinterpret_cast<void*>(address), bytes, MAP_FIXED);
}

}  // namespace vrocm
