// Two who look at the same wave, each at what it wants.
#pragma once

#include <algorithm>

#include "observe/observer.h"

namespace vgpu {

class TwoObservers final : public WaveObserver {
 public:
  TwoObservers(WaveObserver& first, WaveObserver& second)
      : WaveObserver(interest_of(first) | interest_of(second),
                     std::min(first.again_at(), second.again_at())),
        first_(first),
        second_(second) {}

  void ask_again(uint64_t pc) override {
    const uint64_t now = again_at();
    for (WaveObserver* who : {&first_, &second_})
      if (who->again_at() <= now) who->ask_again(pc);
    set_interest(interest_of(first_) | interest_of(second_));
    set_again_at(std::min(first_.again_at(), second_.again_at()));
  }

  void enter(DecodedCode& code) override {
    first_.enter(code);
    second_.enter(code);
  }
  void ran(uint64_t first, uint64_t end, uint64_t exec, bool jumped) override {
    tell(kStretches, [&](WaveObserver& who) { who.ran(first, end, exec, jumped); });
  }
  void skipped(uint64_t first, uint64_t end, bool jumped) override {
    tell(kStretches, [&](WaveObserver& who) { who.skipped(first, end, jumped); });
  }
  void lanes(const CodeSlot& slot, const LaneAccess& access) override {
    tell(kMemory, [&](WaveObserver& who) { who.lanes(slot, access); });
  }
  void meets(const CodeSlot& slot, const LaneAccess& access) override {
    tell(kMeetings, [&](WaveObserver& who) { who.meets(slot, access); });
  }
  void releases() override {
    tell(kMeetings, [](WaveObserver& who) { who.releases(); });
  }
  void scalar(const CodeSlot& slot, const ScalarAccess& access) override {
    tell(kMemory, [&](WaveObserver& who) { who.scalar(slot, access); });
  }
  void cache_control(const CodeSlot& slot) override {
    tell(kMemory, [&](WaveObserver& who) { who.cache_control(slot); });
  }
  void barrier(uint64_t instructions) override {
    first_.barrier(instructions);
    second_.barrier(instructions);
    set_again_at(std::min(first_.again_at(), second_.again_at()));
  }
  void ended(uint64_t instructions) override {
    first_.ended(instructions);
    second_.ended(instructions);
  }

 private:
  template <class Call>
  void tell(Interest what, Call call) {
    if (first_.wants(what)) call(first_);
    if (second_.wants(what)) call(second_);
  }

  WaveObserver& first_;
  WaveObserver& second_;
};

}  // namespace vgpu
