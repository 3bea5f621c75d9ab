#include "model/requests/atomic_turns.h"

#include <algorithm>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {

constexpr uint64_t kLine = calibration::kVectorLineBytes;

AtomicTurns::AtomicTurns(const uint64_t* addresses, uint64_t exec) {
  uint64_t at[kLanes];
  int lanes = 0;
  for (uint64_t left = exec; left; left &= left - 1) at[lanes++] = addresses[__builtin_ctzll(left)];
  std::sort(at, at + lanes);
  uint16_t of_address = 0;
  for (int n = 0; n < lanes; ++n) {
    of_address = uint16_t(n > 0 && at[n] == at[n - 1] ? of_address + 1 : 1);
    if (n == 0 || at[n] / kLine != at[n - 1] / kLine) {
      lines_[count_] = at[n] / kLine;
      turns_[count_++] = 0;
    }
    turns_[count_ - 1] = std::max(turns_[count_ - 1], of_address);
  }
  for (int n = 0; n < count_; ++n) sum_ = uint16_t(sum_ + turns_[n]);
}

uint16_t AtomicTurns::of(uint64_t line) const {
  const uint64_t* const found = std::lower_bound(lines_, lines_ + count_, line);
  return found != lines_ + count_ && *found == line ? turns_[found - lines_] : uint16_t(1);
}

}  // namespace model
}  // namespace vgpu
