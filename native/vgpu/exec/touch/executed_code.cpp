#include "exec/touch/executed_code.h"

namespace vgpu {

void ExecutedCode::add_words(uint64_t low, uint64_t high) {
  for (uint64_t line = low; line <= high; ++line)
    set(words_[line / kBits], uint64_t(1) << line % kBits);
}

std::vector<uint64_t> ExecutedCode::lines(uint64_t first) const {
  std::vector<uint64_t> lines;
  for (size_t n = 0; n < words_.size(); ++n)
    for (uint64_t word = words_[n]; word; word &= word - 1)
      lines.push_back(first + n * kBits + uint64_t(__builtin_ctzll(word)));
  return lines;
}

}  // namespace vgpu
