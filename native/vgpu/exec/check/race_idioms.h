// What machine code does not say but shows, for the race check: a plain load that only feeds a
// compare-and-swap, and a load of LDS, where atomics have no bit of their own, that waits for others.
#pragma once

#include <unordered_map>

#include "exec/wave/wave.h"

namespace vgpu {

bool is_compare_and_swap(Op op);
bool is_swap(Op op);  // exchanges, with or without comparison: what locks are made of

// Answers are remembered, because loads run often.
class RaceIdioms {
 public:
  // Yes: the expected value of a compare-and-swap is a copy of what the load at `pc` brings, on a
  // path on which no store uses that value before. Whatever the load brings, the atomic decides.
  // Unknown: the value goes to the stack, as in code that is not optimised.
  enum class Answer : uint8_t { No, Yes, Unknown };
  Answer feeds_compare_and_swap(const Wave& wave, uint64_t pc);

  // The load at `pc` stands in a loop that writes no memory and leaves its address alone. Compilers
  // move a plain load out of such a loop: this one is atomic or volatile.
  bool waits_in_loop(const Wave& wave, uint64_t pc);

 private:
  std::unordered_map<uint64_t, Answer> feeding_;
  std::unordered_map<uint64_t, bool> waiting_;
};

}  // namespace vgpu
