// A set of cache lines of which neighbours are often in it together: a word for 64 of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace vgpu {
namespace model {

class LineSet {
 public:
  bool has(uint64_t line) const {
    return used_ > 0 && (words_[place_of(line >> kShift)].lines >> (line & kMask) & 1);
  }
  void insert(uint64_t line) {
    if (2 * (used_ + 1) > words_.size()) grow();
    Word& word = words_[place_of(line >> kShift)];
    used_ += word.number == 0;
    word.number = (line >> kShift) + 1;
    word.lines |= uint64_t(1) << (line & kMask);
  }

 private:
  static constexpr int kShift = 6;
  static constexpr uint64_t kMask = (1 << kShift) - 1;
  static constexpr size_t kFirst = 1024;
  struct Word {
    uint64_t number = 0;  // of 64 lines, from 1 on; 0: free
    uint64_t lines = 0;
  };
  // Where the word is, or belongs.
  size_t place_of(uint64_t number) const {
    uint64_t hash = number * 0x9e3779b97f4a7c15u;
    size_t place = (hash ^ hash >> 32) & (words_.size() - 1);
    while (words_[place].number != 0 && words_[place].number != number + 1)
      place = (place + 1) & (words_.size() - 1);
    return place;
  }
  void grow() {
    const std::vector<Word> before =
        std::exchange(words_, std::vector<Word>(words_.empty() ? kFirst : 2 * words_.size()));
    for (const Word& word : before)
      if (word.number != 0) words_[place_of(word.number - 1)] = word;
  }

  std::vector<Word> words_;  // a power of two, at most half of them in use
  size_t used_ = 0;
};

}  // namespace model
}  // namespace vgpu
