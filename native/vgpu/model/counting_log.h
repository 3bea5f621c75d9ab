// The memory requests of one wave in the order of its instructions, in few words: lines in a row,
// the usual case, take one.
#pragma once

#include <cstdint>
#include <vector>

#include "requests.h"

namespace vgpu {
namespace model {

enum class Request : uint8_t { Read, Write, Atomic, AtomicReturn, Scalar, ScalarWrite, Invalidate };

struct RequestEntry {
  Request kind;
  bool host;        // memory of the host: not cached
  bool coherent;    // agent scope: the vector cache is passed by
  bool streaming;
  uint32_t count;
  uint64_t lines[kMostRequests];     // Scalar: 64-byte lines of the scalar cache; else 128 bytes
  uint8_t sectors[kMostRequests];
};

class RequestLog {
 public:
  struct Traits {
    Request kind = Request::Read;
    bool host = false, coherent = false, streaming = false;
  };

  // Memory is kept for the next wave unless it is much: there are thousands of waves.
  void clear() {
    words_.clear();
    if (words_.capacity() > kKeptWords) words_.shrink_to_fit();
  }
  size_t bytes() const { return words_.size() * sizeof(uint64_t); }
  size_t size() const { return words_.size(); }

  void add(const Traits& traits, const Coalesced& requests);
  // `count` lines from `first` on, touched as a whole.
  void add_row(const Traits& traits, uint64_t first, uint32_t count);
  // The entry at `position`; returns the position of the next one.
  size_t read(size_t position, RequestEntry& entry) const;

 private:
  static constexpr size_t kKeptWords = 256;

  std::vector<uint64_t> words_;
};

}  // namespace model
}  // namespace vgpu
