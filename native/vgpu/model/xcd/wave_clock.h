// The time of one wave: where it stands on its tape and what it still waits for.
#pragma once

#include <cstdint>

#include "model/tape/tape.h"
#include "model/xcd/interlocks.h"
#include "model/xcd/pace_book.h"
#include "model/xcd/step_listener.h"
#include "model/xcd/waiting_line.h"

namespace vgpu {
namespace model {

// Completion times of memory instructions of one counter (vmcnt or lgkmcnt), oldest first. They are
// counted down in order, so that a time never lies before the one in front of it. Nobody asks for
// more than the last `Most` of them.
template <uint32_t Most>
class Outstanding {
 public:
  Outstanding() {}  // leaves the times alone
  void add(double done) {
    const double last = count_ == 0 ? 0 : at(count_ - 1);
    if (count_ < Most) ++count_;
    else ++first_;
    at(count_ - 1) = done > last ? done : last;
  }
  // When no more than `allowed` are outstanding; those before are forgotten.
  double until(uint32_t allowed) {
    if (count_ <= allowed) return 0;
    const double time = at(count_ - allowed - 1);
    first_ = allowed == 0 ? 0 : first_ + count_ - allowed;
    count_ = allowed;
    return time;
  }
  // When fewer than `most` are outstanding.
  double room(uint32_t most) const {
    return count_ < most ? 0 : times_[(first_ + count_ - most) % Most];
  }

 private:
  static_assert((Most & (Most - 1)) == 0, "numbers wrap around");
  double& at(uint32_t number) { return times_[(first_ + number) % Most]; }

  uint32_t first_ = 0, count_ = 0;
  double times_[Most];
};

// A matrix result on its way: registers [first, last] of a file are readable from `ready` on.
struct MatrixResult {
  OperandKind file = OperandKind::None;
  uint16_t first = 0, last = 0;
  double ready = 0;
};

constexpr uint8_t kHighestPriority = 3;  // of s_setprio; 0 unless told

// What every step needs comes first, in two lines of the host's cache.
struct alignas(64) WaveClock {
  const Step* steps = nullptr;       // of the tape
  uint32_t next = 0;                 // step
  uint32_t end = 0;                  // steps that there are
  uint32_t decoded = 0;              // steps that it has fetched and decoded
  uint32_t window_ends = 0;          // step with which the next window begins
  int unit = 0;                      // number in the XCD
  int memory_unit = 0;               // whose vector cache it waits for
  double ready = 0;                  // when it may try the next step
  WaitingLine* caller = nullptr;     // told it to try now
  uint64_t fetched = ~uint64_t(0);   // the instruction line that it decodes
  double since = 0;                  // time up to which `pace` knows
  Pace* pace = nullptr;              // of its place, when it is typical of others there
  double weight = 1;                 // of the window that it is in, and of those who go in step
  double matrix_ready = 0;           // the latest of `matrix`
  bool settles = false;              // in a window that is not typical
  bool told = false;                 // a listener wants its steps
  uint8_t later = kHighestPriority;  // than waves of the highest priority
  uint32_t group = 0;                // index of its resident group
  WavePlace place{};
  const WaveTape* tape = nullptr;
  double arrived = -1;    // at the barrier where it waits; negative: at none
  uint64_t barriers = 0;  // that it has passed, those included that are not on its tape
  double began = 0, ended = 0;
  uint32_t next_window = 0;  // of the tape
  uint32_t kind = 0;         // in the book of paces
  double share = 1;          // with which its steps count there
  double settling = 0;       // time that windows took that are not typical
  MatrixResult matrix[4];
  int matrix_next = 0;
  Interlocks interlocks;
  // One more than a counter counts.
  Outstanding<16> scalar_and_lds;
  Outstanding<64> vector;

  WaveClock() {}
};

// When the registers that `inst` reads from are there, as far as matrix instructions write them. A
// matrix instruction may accumulate onto the result of the one before without waiting.
double matrix_operands_ready(const WaveClock& wave, const Inst& inst, bool is_matrix);
void note_matrix_result(WaveClock& wave, const Inst& inst, double ready);

}  // namespace model
}  // namespace vgpu
