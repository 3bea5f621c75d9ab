#include "model/counters/group_notes.h"

#include <algorithm>

#include "model/counters/counting.h"

namespace vgpu {
namespace model {

uint64_t* GroupNotes::room_for(size_t words) {
  if (used_ + words > kBlockWords) {
    ++block_;
    used_ = 0;
  }
  // Not emptied: every word is written before it is read.
  if (block_ == blocks_.size()) blocks_.emplace_back(new uint64_t[kBlockWords]);
  uint64_t* const room = blocks_[block_].get() + used_;
  used_ += words;
  return room;
}

const uint64_t* GroupNotes::add(const GroupCounts& group) {
  size_t words = 1 + group.code_lines.size() + group.waves.size();
  for (const WaveCounts& wave : group.waves) words += wave.requests.size();
  if (words > kMostNoted) return nullptr;
  uint64_t* const note = room_for(words);
  uint64_t* at = note;
  *at++ = group.waves.size() | uint64_t(group.code_lines.size()) << 32;
  at = std::copy(group.code_lines.begin(), group.code_lines.end(), at);
  for (const WaveCounts& wave : group.waves) {
    *at++ = wave.requests.size();
    at = std::copy(wave.requests.begin(), wave.requests.end(), at);
  }
  return note;
}

void GroupNotes::shrink() {
  clear();
  if (blocks_.size() > kMostKept) blocks_.resize(kMostKept);
}

}  // namespace model
}  // namespace vgpu
