#include "counting_log.h"

namespace vgpu {
namespace model {
namespace {

// A header: kind, flags, number of lines and, when they lie in a row, the first of them. Other
// lines follow, one word each with their sectors.
constexpr uint64_t kHost = 1 << 4, kCoherent = 1 << 5, kStreaming = 1 << 6, kRow = 1 << 7;
constexpr int kCountShift = 8, kLineShift = 16;

uint64_t header(const RequestLog::Traits& traits, uint32_t count) {
  return uint64_t(traits.kind) | (traits.host ? kHost : 0) | (traits.coherent ? kCoherent : 0) |
         (traits.streaming ? kStreaming : 0) | uint64_t(count) << kCountShift;
}

// Reads fetch whole lines, so which part was asked for does not matter.
bool is_row(const RequestLog::Traits& traits, const Coalesced& requests) {
  uint64_t first = requests.requests[0] >> 2;
  for (uint32_t n = 0; n < requests.count; ++n) {
    if (requests.requests[n] >> 2 != first + n) return false;
    if (traits.kind != Request::Read && requests.sectors[n] != kAllSectors) return false;
  }
  return true;
}

}  // namespace

void RequestLog::add(const Traits& traits, const Coalesced& requests) {
  if (is_row(traits, requests)) return add_row(traits, requests.requests[0] >> 2, requests.count);
  words_.push_back(header(traits, requests.count));
  for (uint32_t n = 0; n < requests.count; ++n)
    words_.push_back(requests.requests[n] >> 2 << RequestEntry::kSectorBits |
                     requests.sectors[n]);
}

void RequestLog::add_row(const Traits& traits, uint64_t first, uint32_t count) {
  words_.push_back(header(traits, count) | kRow | first << kLineShift);
}

size_t RequestLog::read(size_t position, RequestEntry& entry) const {
  uint64_t word = words_[position++];
  entry.kind = Request(word & 15);
  entry.host = word & kHost;
  entry.coherent = word & kCoherent;
  entry.streaming = word & kStreaming;
  entry.count = word >> kCountShift & 0xff;
  entry.first_ = word >> kLineShift;
  entry.words_ = word & kRow ? nullptr : words_.data() + position;
  return word & kRow ? position : position + entry.count;
}

}  // namespace model
}  // namespace vgpu
