// Which bytes of memory a dispatch needs and which it makes: those that it reads before it has written
// them, and those that it writes. Every host thread marks in the same place. Kernels without races see
// no difference: a byte that one workgroup writes and another reads is ordered by what makes the
// device run them in order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "observe/observer.h"

namespace vgpu::cover {

struct AddressRange {
  uint64_t begin = 0, end = 0;
};

class TouchedBytes {
 public:
  // One bit for each byte.
  struct Page {
    static constexpr uint64_t kBytes = 4096;
    std::atomic<uint64_t> needed[kBytes / 64] = {};
    std::atomic<uint64_t> written[kBytes / 64] = {};
  };

  // `left_out`: memory that belongs to the launch and not to the program.
  explicit TouchedBytes(std::vector<AddressRange> left_out) : left_out_(std::move(left_out)) {}

  Page& page(uint64_t number);
  bool is_left_out(uint64_t address) const;
  uint64_t needed() const { return count(&Page::needed); }
  uint64_t written() const { return count(&Page::written); }
  // The same for the same set of written bytes, whoever wrote them and in whatever order.
  uint64_t written_hash() const;

 private:
  using Bits = std::atomic<uint64_t> (Page::*)[Page::kBytes / 64];
  uint64_t count(Bits bits) const;

  const std::vector<AddressRange> left_out_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

// Marks what the waves of one host thread touch. LDS and private memory are left out.
class ByteMarker final : public WaveObserver {
 public:
  explicit ByteMarker(TouchedBytes& touched) : WaveObserver(kMemory), touched_(touched) {}

  void enter(DecodedCode&) override {}
  void lanes(const CodeSlot& slot, const LaneAccess& access) override;
  void scalar(const CodeSlot& slot, const ScalarAccess& access) override;

 private:
  static constexpr uint64_t kKnown = 64;  // pages that were touched lately
  struct Known {
    uint64_t number = ~uint64_t(0);
    TouchedBytes::Page* page = nullptr;
  };

  void mark(uint64_t address, uint64_t bytes, Touch touch);
  void mark_word(uint64_t word, uint64_t bits, Touch touch);

  TouchedBytes& touched_;
  std::array<Known, kKnown> known_;
};

}  // namespace vgpu::cover
