// The shared virtual memory aperture: one large reserved address range per process, placed by the
// kernel (so it varies between processes and avoids what is already mapped), from which all
// device-visible memory is cut. GPU and host addresses are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace vrocm {

constexpr size_t kPageSize = 4096;
constexpr size_t kLargePage = 2u << 20;  // fragments of this size and alignment for large blocks

constexpr uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

class Aperture {
 public:
  static Aperture& get();

  // Address ranges without memory behind them. 0 when no range is left.
  uint64_t reserve(size_t bytes, size_t alignment);
  bool reserve_at(uint64_t address, size_t bytes);
  void release(uint64_t address, size_t bytes);
  bool contains(uint64_t address) const { return address - base_ < bytes_; }

  // Puts zeroed private memory behind a reserved range; discard takes it away again.
  static bool commit(uint64_t address, size_t bytes);
  static void discard(uint64_t address, size_t bytes);

  size_t bytes() const { return bytes_; }

 private:
  Aperture();

  std::mutex mutex_;
  std::map<uint64_t, size_t> free_;  // by address
  uint64_t base_ = 0;
  size_t bytes_ = 0;
};

}  // namespace vrocm
