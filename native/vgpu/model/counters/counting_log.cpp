#include "model/counters/counting_log.h"

namespace vgpu {
namespace model {
namespace {

// Reads fetch whole lines, so which part was asked for does not matter.
bool is_row(const RequestLog::Traits& traits, const PlacedRequests& requests) {
  const uint64_t first = requests.request(0) >> 2;
  for (uint32_t n = 0; n < requests.count(); ++n) {
    if (requests.request(n) >> 2 != first + n) return false;
    if (traits.kind != Request::Read && requests.relative->sectors[n] != kAllSectors) return false;
  }
  return true;
}

}  // namespace

uint64_t RequestLog::header(const Traits& traits, uint32_t count) {
  return uint64_t(traits.kind) | (traits.host ? kHost : 0) | (traits.coherent ? kCoherent : 0) |
         (traits.streaming ? kStreaming : 0) | uint64_t(count) << kCountShift;
}

void RequestLog::add(const Traits& traits, const PlacedRequests& requests) {
  const uint32_t count = requests.count();
  if (is_row(traits, requests)) return add_row(traits, requests.request(0) >> 2, count);
  const size_t size = words_.size();
  words_.resize(size + 1 + count);
  uint64_t* const words = words_.data() + size;
  words[0] = header(traits, count);
  for (uint32_t n = 0; n < count; ++n)
    words[1 + n] =
        requests.request(n) >> 2 << RequestEntry::kSectorBits | requests.relative->sectors[n];
}

void RequestLog::add_row(const Traits& traits, uint64_t first, uint32_t count) {
  words_.push_back(header(traits, count) | kRow | first << kLineShift);
}

}  // namespace model
}  // namespace vgpu
