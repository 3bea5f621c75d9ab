// Looks at how long a wave gets that nobody tapes, and calls when that is much longer than usual.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "exec/wave/own_chain.h"
#include "observe/observer.h"

namespace vgpu {

class LengthWatch final : public WaveObserver {
 public:
  // `call` is called once, when the wave has come to so many cycles.
  LengthWatch(const Wave& wave, uint64_t cycles, const std::function<void()>& call)
      : WaveObserver(kNothing, kMost), wave_(wave), cycles_(cycles), call_(call) {}

  void ask_again(uint64_t) override {
    const uint64_t now = least_time();
    if (now < cycles_) return set_again_at(again_at() + steps_until_then(cycles_ - now));
    set_again_at(kNever);
    call_();
  }
  void enter(DecodedCode&) override {}

 private:
  static constexpr uint64_t kLeast = 16, kMost = 128;  // steps from look to look

  // Its own chain, or what it alone asks of a port.
  uint64_t least_time() const {
    uint64_t least = own_time(wave_);
    for (WorkPart part : {WorkPart::Vector, WorkPart::Matrix, WorkPart::Lds})
      least = std::max(least, wave_.sums[int(part)] + wave_.work.cycles(part));
    return least;
  }
  // Not many more than it can execute in so many cycles: a wave that is a little too long may end soon.
  static uint64_t steps_until_then(uint64_t cycles) {
    return std::clamp(cycles / kIssue, kLeast, kMost);
  }

  const Wave& wave_;
  uint64_t cycles_;
  const std::function<void()>& call_;
};

}  // namespace vgpu
