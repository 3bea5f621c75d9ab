// What the cache pass needs of workgroups that have ended, one behind the other: a window has thousands
// of them. What counted them is used again by the next one, while the host has it in its caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace vgpu {
namespace model {

struct GroupCounts;

// A workgroup as it was noted: its instruction lines, then the requests of one wave after the other.
class NotedGroup {
 public:
  explicit NotedGroup(const uint64_t* note)
      : waves_(uint32_t(*note)), lines_(*note >> 32), lines_at_(note + 1) {}

  uint32_t waves() const { return waves_; }
  const uint64_t* code_lines() const { return lines_at_; }
  size_t code_line_count() const { return lines_; }

  // Calls `use(begin, end)` for the log of each wave.
  template <class Use>
  void for_each_wave(Use use) const {
    const uint64_t* at = lines_at_ + lines_;
    for (uint32_t wave = 0; wave < waves_; ++wave) {
      const uint64_t words = *at++;
      use(at, at + words);
      at += words;
    }
  }

 private:
  uint32_t waves_;
  size_t lines_;
  const uint64_t* lines_at_;
};

// The notes of one host thread.
class GroupNotes {
 public:
  // Null when they are not worth copying: so much is as well left where it is.
  const uint64_t* add(const GroupCounts& group);
  // The notes are read; their memory stays.
  void clear() { block_ = used_ = 0; }
  // Keeps little of it.
  void shrink();

 private:
  static constexpr size_t kBlockWords = 1 << 16, kMostNoted = 1 << 10, kMostKept = 16;
  uint64_t* room_for(size_t words);

  std::vector<std::unique_ptr<uint64_t[]>> blocks_;
  size_t block_ = 0, used_ = 0;  // words of the block that is filled
};

}  // namespace model
}  // namespace vgpu
