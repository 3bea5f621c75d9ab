// How lanes of an atomic make each other wait. Lanes with different addresses in a line go together; of
// those with the same one each has its turn.
#pragma once

#include <cstdint>

#include "observe/access.h"

namespace vgpu {
namespace model {

// Turns of each line that an instruction touches: as many as its address with most lanes has.
class AtomicTurns {
 public:
  // Physical addresses of the lanes in `exec`.
  AtomicTurns(const uint64_t* addresses, uint64_t exec);

  uint16_t of(uint64_t line) const;  // which it touches
  uint16_t sum() const { return sum_; }

 private:
  uint64_t lines_[kLanes];  // in order
  uint16_t turns_[kLanes];
  int count_ = 0;
  uint16_t sum_ = 0;
};

}  // namespace model
}  // namespace vgpu
