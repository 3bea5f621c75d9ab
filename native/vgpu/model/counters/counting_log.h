// The memory requests of one wave in the order of its instructions, in few words: lines in a row,
// the usual case, take one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/requests/requests.h"

namespace vgpu {
namespace model {

enum class Request : uint8_t { Read, Write, Atomic, AtomicReturn, Scalar, ScalarWrite, Invalidate };

// One instruction's requests, as they stand in the log.
class RequestEntry {
 public:
  Request kind;
  bool host;      // memory of the host: not cached
  bool coherent;  // agent scope: the vector cache is passed by
  bool streaming;
  uint32_t count;

  // Of the n-th request. Scalar: 64-byte lines of the scalar cache; else 128 bytes.
  uint64_t line(uint32_t n) const { return words_ ? words_[n] >> kSectorBits : first_ + n; }
  uint8_t sectors(uint32_t n) const {
    return words_ ? uint8_t(words_[n] & kAllSectors) : kAllSectors;
  }

 private:
  friend class RequestLog;
  static constexpr int kSectorBits = 4;

  uint64_t first_;         // line, when they lie in a row
  const uint64_t* words_;  // else, one for each
};

class RequestLog {
 public:
  struct Traits {
    Request kind = Request::Read;
    bool host = false, coherent = false, streaming = false;
  };

  // Memory is kept for the next wave unless it is more than so many words: there may be thousands of
  // waves.
  void clear(size_t most_kept) {
    words_.clear();
    if (words_.capacity() > most_kept) words_.shrink_to_fit();
  }
  size_t size() const { return words_.size(); }
  size_t bytes() const { return words_.size() * sizeof(uint64_t); }

  void add(const Traits& traits, const PlacedRequests& requests);
  // `count` lines from `first` on, touched as a whole.
  void add_row(const Traits& traits, uint64_t first, uint32_t count);
  // All entries, until something is added.
  const uint64_t* begin() const { return words_.data(); }
  const uint64_t* end() const { return words_.data() + words_.size(); }
  // The entry at `position`; returns the position of the next one.
  static const uint64_t* read(const uint64_t* position, RequestEntry& entry) {
    const uint64_t word = *position++;
    const bool row = word & kRow;
    entry.kind = Request(word & kKindMask);
    entry.host = word & kHost;
    entry.coherent = word & kCoherent;
    entry.streaming = word & kStreaming;
    entry.count = word >> kCountShift & 0xff;
    entry.first_ = word >> kLineShift;
    entry.words_ = row ? nullptr : position;
    return row ? position : position + entry.count;
  }

 private:
  // A header: kind, flags, number of lines and, when they lie in a row, the first of them. Other
  // lines follow, one word each with their sectors.
  static constexpr uint64_t kKindMask = 15;
  static constexpr uint64_t kHost = 1 << 4, kCoherent = 1 << 5, kStreaming = 1 << 6, kRow = 1 << 7;
  static constexpr int kCountShift = 8, kLineShift = 16;
  static uint64_t header(const Traits& traits, uint32_t count);

  std::vector<uint64_t> words_;
};

}  // namespace model
}  // namespace vgpu
