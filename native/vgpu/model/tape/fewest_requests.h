// Accesses as if lanes lay side by side: with as many requests as their bytes need. No byte is gained
// or lost where all of a line is used sooner or later: an instruction that comes by its lines again
// asks for others of them each time, and instructions that share lines for different ones.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/tape/step_pattern.h"

namespace vgpu {
namespace model {

class FewestRequests {
 public:
  struct Fewest {
    TapeAccess access;
    const uint64_t* lines;  // until the next call
  };

  // How often the wave has come by the instruction, from another number on for each of them.
  uint64_t visit(uint32_t wave, const CodeSlot* slot);
  Fewest of(const TapeAccess& access, const uint64_t* lines, uint64_t visit);

 private:
  using Visits = std::unordered_map<const CodeSlot*, uint64_t>;
  std::vector<Visits> visits_;  // of each wave
  std::vector<uint64_t> lines_;
};

}  // namespace model
}  // namespace vgpu
