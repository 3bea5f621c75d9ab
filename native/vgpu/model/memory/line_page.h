// Pages of lines as the history keeps them, and chances that depend on the line only.
#pragma once

#include <cstdint>

#include "memory/touched_pages.h"
#include "model/launch/structure.h"

namespace vgpu {
namespace model {

constexpr uint64_t kLinesPerPage = TouchedPages::kPageBytes / calibration::kVectorLineBytes;
static_assert(kLinesPerPage == 32, "a mask of lines is a word");

inline uint64_t page_of_line(uint64_t line) {
  return (line * calibration::kVectorLineBytes % TouchedPages::kReach) >> TouchedPages::kPageShift;
}

// A number in [0, 1) that depends on the line only, another one for each question.
enum class Question : uint64_t { Kept, Others = 0x5851f42d4c957f2d, Shared = 0x14057b7ef767814f };
inline double chance(uint64_t line, Question question) {
  uint64_t h = (line + uint64_t(question)) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return double(h >> 11) * 0x1p-53;
}

}  // namespace model
}  // namespace vgpu
