// Which lines of a dispatch's code object its waves have executed, whoever looks at them: what a
// dispatch leaves in the instruction caches depends on all of its waves.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/structure.h"
#include "host/cpu_target.h"

namespace vgpu {

// A bit for each line. Setting it twice does no harm: it does not matter which host thread does so, or
// when.
class ExecutedCode {
 public:
  static constexpr uint64_t kLineBytes = uint64_t(arch::calibration::kInstructionLineBytes);

  ExecutedCode(uint64_t base, uint64_t bytes)
      : first_(base / kLineBytes),
        words_((base % kLineBytes + bytes + kMostInstructionBytes) / kLineBytes / kBits + 1) {}

  // A wave has executed the instructions from `begin` to before `end`, which lie in the code object.
  VGPU_INLINE void add(uint64_t begin, uint64_t end) {
    const uint64_t low = begin / kLineBytes - first_, high = (end - 1) / kLineBytes - first_;
    if (__builtin_expect(low / kBits == high / kBits, 1))
      return set(words_[low / kBits], ~uint64_t(0) >> (kBits - 1 - (high - low)) << low % kBits);
    add_words(low, high);
  }

  // The numbers of those that were executed, in ascending order. `first`: that of the line in which the
  // code object begins.
  std::vector<uint64_t> lines(uint64_t first) const;

 private:
  static constexpr uint64_t kBits = 64;
  static constexpr uint64_t kMostInstructionBytes = 16;  // the last one may lead beyond the end

  static VGPU_INLINE void set(uint64_t& word, uint64_t mask) {
    if ((__atomic_load_n(&word, __ATOMIC_RELAXED) & mask) != mask)
      __atomic_fetch_or(&word, mask, __ATOMIC_RELAXED);
  }
  void add_words(uint64_t low, uint64_t high);

  const uint64_t first_;
  std::vector<uint64_t> words_;
};

}  // namespace vgpu
