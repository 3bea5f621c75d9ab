// Looks at how long a wave gets that nobody tapes, and calls when that is much longer than usual.
#pragma once

#include <functional>
#include <utility>

#include "exec/wave/own_chain.h"
#include "observe/observer.h"

namespace vgpu {

class LengthWatch final : public WaveObserver {
 public:
  // `call` is called once, when the wave has come to so many cycles.
  LengthWatch(const Wave& wave, uint64_t cycles, const std::function<void()>& call)
      : WaveObserver(kNothing, kEvery), wave_(wave), cycles_(cycles), call_(call) {}

  void ask_again(uint64_t) override {
    if (own_time(wave_) < cycles_) return set_again_at(again_at() + kEvery);
    set_again_at(kNever);
    call_();
  }
  void enter(DecodedCode&) override {}

 private:
  static constexpr uint64_t kEvery = 128;  // steps

  const Wave& wave_;
  uint64_t cycles_;
  const std::function<void()>& call_;
};

}  // namespace vgpu
