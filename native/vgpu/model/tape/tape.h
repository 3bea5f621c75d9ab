// What was executed, step by step, for the workgroups that the timing simulation looks at.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/requests/requests.h"
#include "model/tape/spare_pool.h"
#include "model/tape/window_schedule.h"
#include "observe/observer.h"

namespace vgpu {
namespace model {

// Memory that one instruction asked for, as requests of lines. Lines are physical: they do not
// depend on where the host put an allocation.
struct TapeAccess {
  uint32_t first = 0, count = 0;  // in WaveTape::lines
  uint16_t bytes = 0;             // per lane (vector) or in all (scalar)
  uint16_t lanes = 0;
  bool write = false, atomic = false, host = false;
  bool scalar = false;
  bool system = false;     // atomics: of system scope
  uint16_t conflicts = 0;  // cycles that the tags take longer than one turn of lanes each
  uint16_t turns = 0;      // atomics: one lane of each address at a time, over all lines
};

// A line request: line number << 2 | mask of the line's 64-byte halves that are touched, and whether
// the workgroup has touched the line before, on steps on its tape or others.
constexpr uint64_t kTouchedBefore = uint64_t(1) << 63;
constexpr uint64_t line_of(uint64_t request) { return (request & ~kTouchedBefore) >> 2; }
constexpr uint64_t request_of(uint64_t line) { return line << 2; }
constexpr uint32_t halves_of(uint64_t request) { return uint32_t(request & 3); }

struct Step {
  const CodeSlot* slot;
  uint32_t pc;      // offset from the code object's base
  uint32_t detail;  // memory: index in accesses (0 is "nothing touched"); LDS: busy cycles;
                    // others: 0
};

// Steps of a wave without a gap. Windows of a long wave stand for others at the same place.
struct TapeWindow {
  using Look = WindowSchedule::Look;
  uint32_t first;  // in WaveTape::steps
  uint32_t place;  // in the code, as the schedule counts them
  bool begins_run;
  Look look;              // of touched ones only the accesses are there
  bool first_visit;       // of its place, which is as a rule not what later ones are
  uint64_t barriers = 0;  // that the wave has passed before
  uint64_t code = 0;      // of the place, the same for all waves
  double weight = 1;      // set, like the code, when the wave has ended

  bool touched() const { return look == Look::Touch; }
};

// Steps of a wave that are not on its tape, or take longer there than they did.
struct MissingSteps {
  uint64_t code;  // of their place
  double steps;
};

// How much of a wave is kept: about so many runs of windows, when it is about as long as expected.
struct TapeLength {
  uint32_t most_runs = 0;
  uint64_t expected = 0;  // steps; 0: not known
};

// How far a wave has come.
struct WaveProgress {
  uint64_t steps = 0, barriers = 0;
};

struct WaveTape {
  std::vector<Step> steps;
  std::vector<TapeWindow> windows;
  std::vector<TapeAccess> accesses;  // [0] is empty
  std::vector<uint64_t> lines;
  uint64_t executed = 0;  // instructions of the wave, also those that are not kept;
                          // set when it has ended
  uint64_t first = 0;     // the step of the wave at which the tape begins
  uint64_t barriers = 0;  // that the wave has passed so far
  WindowSchedule schedule;
  std::vector<MissingSteps> missing;  // of a wave that has ended

  void start(const WaveProgress& from, const TapeLength& length);
  // The wave has come to step schedule.until(), and to `pc` in its code.
  void turn(uint64_t pc);
  // The wave has come to a barrier, its last step so far.
  void meet(uint64_t step);
  void end(uint64_t steps_executed);
  bool cut() const { return executed > steps.size(); }

 private:
  size_t removes_at = 0;  // steps from which on skipped ones are worth removing

  size_t window_end(size_t window) const {
    return window + 1 < windows.size() ? windows[window + 1].first : steps.size();
  }
  void leave_touches(size_t first, size_t end, bool follower_stays);
  void remove_skipped();
  void drop_every_other(uint32_t place, uint32_t gap);
};

struct GroupTape {
  uint64_t group = 0;          // workgroup number
  bool planned = false;        // by the plan; others were taped because they are long
  bool is_short = false;       // little is kept of its waves, and it has little memory
  uint64_t longest = 0;        // cycles that it takes at least; set at its end
  uint64_t touched_bytes = 0;  // of memory, if requests say what was touched before
  std::vector<WaveTape> waves;
};

// Lines that were first touched on the tape of some wave of a workgroup, and at which of its steps.
// On the host another wave that comes by at the same step does so later; on the device they go side
// by side and wait for the line together.
class FreshLines {
 public:
  void add(uint64_t line, uint64_t step, const WaveTape& wave) { lines_[line] = {step, &wave}; }
  bool waits_for(uint64_t line, uint64_t step, const WaveTape& wave) const {
    const auto found = lines_.find(line);
    return found != lines_.end() && found->second.wave != &wave &&
           found->second.step + kAbout >= step;
  }

 private:
  static constexpr uint64_t kAbout = kWindowSteps * kWindowsPerRun;
  struct First {
    uint64_t step;
    const WaveTape* wave;
  };
  std::unordered_map<uint64_t, First> lines_;
};

// Writes the tape of one wave.
class WaveTaper final : public WaveObserver {
 public:
  // `private_base`: physical address of the wave's private memory.
  WaveTaper(WaveTape& tape, uint64_t private_base)
      : WaveObserver(kNothing, tape.schedule.until()), tape_(tape), private_base_(private_base) {}

  void ask_again(uint64_t pc) override;
  void enter(DecodedCode& code) override { code_base_ = code.base(); }
  void step(const CodeSlot& slot, uint64_t pc) override;
  void lanes(const CodeSlot& slot, const LaneAccess& access) override;
  void scalar(const CodeSlot& slot, const ScalarAccess& access) override;
  void barrier(uint64_t instructions) override;
  void ended(uint64_t instructions) override { tape_.end(instructions); }

  // Where the pieces of memory are marked that the workgroup touched, steps included that are not
  // on the tape.
  void know_marks(uint8_t* pieces, FreshLines& fresh) {
    own_pieces_ = pieces;
    fresh_ = &fresh;
  }

 private:
  Step& accessing_step(const CodeSlot& slot);
  void add_access(const CodeSlot& slot, TapeAccess access, const uint64_t* requests);
  void add_requests(const CodeSlot& slot, const LaneAccess& lanes, uint64_t exec,
                    const Coalesced& requests, bool host);
  void add_global(const CodeSlot& slot, const LaneAccess& lanes);
  void add_lds(const LaneAccess& lanes);
  void add_private(const CodeSlot& slot, const LaneAccess& lanes);
  void note_marks(uint64_t* requests, uint32_t count);

  WaveTape& tape_;
  uint64_t private_base_;
  uint64_t code_base_ = 0;
  uint8_t* own_pieces_ = nullptr;
  FreshLines* fresh_ = nullptr;
};

// Tapes the waves of a workgroup.
class GroupTaper {
 public:
  GroupTaper(const GroupStart& start, const TapeLength& length);
  // Of a workgroup that runs already.
  GroupTaper(const GroupStart& start, const std::vector<WaveProgress>& progress,
             const TapeLength& length);

  WaveObserver& wave(uint32_t index) { return tapers_[index]; }
  void know_marks(uint8_t* pieces) {
    fresh_ = std::make_unique<FreshLines>();
    for (WaveTaper& taper : tapers_) taper.know_marks(pieces, *fresh_);
  }
  // After the workgroup has ended.
  GroupTape take();

 private:
  GroupTaper(const GroupStart& start, bool planned, const std::vector<WaveProgress>& progress,
             const TapeLength& length);

  GroupTape tape_;
  std::vector<WaveTaper> tapers_;
  std::unique_ptr<FreshLines> fresh_;
};

// Tapes of dispatches that were simulated, to be used again. Short ones are kept apart: a long one
// that is made from a short one asks the host for memory.
class SpareTapes {
 public:
  explicit SpareTapes(size_t most) : short_(most), long_(most) {}

  void take(GroupTape& tape, bool is_short) { pool(is_short).take(tape); }
  void give_back(GroupTape tape) { pool(tape.is_short).give_back(std::move(tape)); }
  void give_back(std::vector<GroupTape>& tapes) {
    for (GroupTape& tape : tapes) give_back(std::move(tape));
    tapes.clear();
  }

 private:
  SparePool<GroupTape>& pool(bool is_short) { return is_short ? short_ : long_; }

  SparePool<GroupTape> short_, long_;
};
SpareTapes& spare_tapes();

}  // namespace model
}  // namespace vgpu
