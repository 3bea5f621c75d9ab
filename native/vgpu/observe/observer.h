// Who looks at what is executed. Execution tells; it does not know who listens, or why.
//
// A workgroup may have one GroupObserver, chosen by who dispatches it; it has one WaveObserver per
// wave. All calls for a workgroup come from one host thread at a time, and those for a wave in the
// order of its program. A wave without an observer, or whose observer wants nothing now, runs
// at full speed.
#pragma once

#include <cstdint>

#include "observe/access.h"
#include "observe/decoded_code.h"

namespace vgpu {

// A workgroup that is about to run.
struct GroupStart {
  uint64_t number = 0;  // position in dispatch order
  uint32_t waves = 1;
  uint64_t items = 1;          // work-items; less than others have in a partial group
  uint32_t scratch_bytes = 0;  // private memory of one lane
};

class WaveObserver {
 public:
  enum Interest : uint8_t {
    kNothing = 0,
    kStretches = 1,  // ran, skipped
    kMemory = 2,     // lanes, scalar, cache_control
    kMeetings = 4,   // meets, releases
  };

  virtual ~WaveObserver() = default;

  // What the observer wants to hear.
  bool wants(Interest what) const { return interest_ & what; }
  bool wants_something() const { return interest_ != kNothing; }

  // That may change when the wave has executed so many instructions: it is asked again then. `pc`
  // is where the wave is, from the beginning of the kernel's code object.
  uint64_t again_at() const { return again_at_; }
  virtual void ask_again(uint64_t pc) { (void)pc; }

  // The wave executes instructions of `code` from now on: before the first, whenever it leaves one
  // code object for another, and when its turn on the host begins.
  virtual void enter(DecodedCode& code) = 0;

  // Instructions one behind the other, from `first` to before `end`, were executed with the same
  // lanes active. `jumped`: not reached from the instruction before them. An observed stretch may
  // be a part of a longer one; what its instructions touched has been told before.
  virtual void ran(uint64_t first, uint64_t end, uint64_t exec, bool jumped) {
    (void)first, (void)end, (void)exec, (void)jumped;
  }
  // A vector instruction was passed by (s_setvskip).
  virtual void skipped(uint64_t first, uint64_t end, bool jumped) {
    (void)first, (void)end, (void)jumped;
  }

  // The instruction is about to touch this memory; two calls when it has two elements, none when no
  // lane is active.
  virtual void lanes(const CodeSlot& slot, const LaneAccess& access) { (void)slot, (void)access; }
  virtual void scalar(const CodeSlot& slot, const ScalarAccess& access) {
    (void)slot, (void)access;
  }
  // The instruction is about to touch memory where other workgroups may be met: with device scope, or
  // by an atomic. Told before `lanes`.
  virtual void meets(const CodeSlot& slot, const LaneAccess& access) { (void)slot, (void)access; }
  // It makes what the wave has stored visible to others of the device.
  virtual void releases() {}

  // A vector memory instruction that moves no data.
  virtual void cache_control(const CodeSlot& slot) { (void)slot; }

  // The wave has executed so many instructions, the last of them a barrier.
  virtual void barrier(uint64_t instructions) { (void)instructions; }

  // After the wave's last instruction.
  virtual void ended(uint64_t instructions) { (void)instructions; }

 protected:
  static constexpr uint64_t kNever = ~uint64_t(0);
  explicit WaveObserver(uint8_t interest, uint64_t again_at = kNever)
      : interest_(interest), again_at_(again_at) {}
  void set_interest(uint8_t interest) { interest_ = interest; }
  void set_again_at(uint64_t instructions) { again_at_ = instructions; }
  uint8_t interest() const { return interest_; }
  // That of another observer, for those who pass things on.
  static uint8_t interest_of(const WaveObserver& other) { return other.interest_; }

 private:
  uint8_t interest_;
  uint64_t again_at_;
};

class GroupObserver {
 public:
  virtual ~GroupObserver() = default;
  virtual WaveObserver* wave(uint32_t index) = 0;  // null: nobody looks at this one
};

}  // namespace vgpu
