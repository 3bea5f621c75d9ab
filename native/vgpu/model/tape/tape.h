// What was executed, step by step, for the workgroups that the timing simulation looks at.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/requests/requests.h"
#include "model/tape/fresh_lines.h"
#include "model/tape/spare_pool.h"
#include "model/tape/step_pattern.h"
#include "model/tape/window_schedule.h"
#include "observe/observer.h"

namespace vgpu {
namespace model {

// Steps of a wave that are not on its tape, or take longer there than they did.
struct MissingSteps {
  uint64_t code;  // of their place
  double steps;
};

// How far a wave has come.
struct WaveProgress {
  uint64_t steps = 0, barriers = 0;
};

struct WaveTape {
  StepPattern own;                          // while it is taped, or when no other wave did the same
  std::shared_ptr<const StepPattern> same;  // what others did, too, instead
  std::vector<uint64_t> lines;
  uint64_t executed = 0;  // instructions of the wave, also those that are not kept;
                          // set when it has ended
  uint64_t first = 0;     // the step of the wave at which the tape begins
  uint64_t barriers = 0;  // that the wave has passed so far
  WindowSchedule schedule;
  std::vector<MissingSteps> missing;  // of a wave that has ended

  void start(const WaveProgress& from, const TapeRoom& room);
  // The wave has come to step schedule.until(), and to `pc` in its code.
  void turn(uint64_t pc);
  // The wave has come to a barrier, its last step so far.
  void meet(uint64_t step);
  void end(uint64_t steps_executed);
  // Where the tape is. What is behind a position can go, as if it had never been: a wave that waits for
  // others looks as often as the host lets it.
  struct Position {
    size_t steps = 0;
    uint64_t moves = ~uint64_t(0);
  };
  Position position() const { return {own.steps.size(), moves_}; }
  void forget_behind(const Position& position);
  // Of a wave that has ended no more is kept than this.
  void shorten(const TapeRoom& room);
  const StepPattern& did() const { return same ? *same : own; }
  bool cut() const { return executed > did().steps.size(); }

 private:
  size_t removes_at = 0;    // steps from which on skipped ones are worth removing
  uint64_t forgotten_ = 0;  // steps
  uint64_t moves_ = 0;      // how often steps have moved on the tape

  size_t window_end(size_t window) const {
    return window + 1 < own.windows.size() ? own.windows[window + 1].first : own.steps.size();
  }
  void leave_touches(size_t first, size_t end, bool follower_stays);
  void remove_skipped();
  void drop_every_other(uint32_t place, uint32_t gap);
  void weigh_windows();
  void share_visits();
};

struct GroupTape {
  uint64_t group = 0;          // workgroup number
  bool planned = false;        // by the plan; others were taped because they are long
  uint64_t longest = 0;        // cycles that it takes at least; set at its end
  uint64_t before = 0;         // of these, before the tape began
  uint64_t touched_bytes = 0;  // of memory, if requests say what was touched before
  std::vector<WaveTape> waves;

  double executed() const {  // steps
    double steps = 0;
    for (const WaveTape& wave : waves) steps += double(wave.executed);
    return steps;
  }
};

// Writes the tape of one wave.
class WaveTaper final : public WaveObserver {
 public:
  // `private_base`: physical address of the wave's private memory.
  WaveTaper(WaveTape& tape, uint64_t private_base)
      : WaveObserver(kNothing, tape.schedule.until()), tape_(tape), private_base_(private_base) {}

  void ask_again(uint64_t pc) override;
  void enter(DecodedCode& code) override { code_ = &code; }
  void ran(uint64_t first, uint64_t end, uint64_t exec, bool jumped) override;
  void skipped(uint64_t first, uint64_t end, bool jumped) override { ran(first, end, 0, jumped); }
  void lanes(const CodeSlot& slot, const LaneAccess& access) override;
  void scalar(const CodeSlot& slot, const ScalarAccess& access) override;
  void barrier(uint64_t instructions) override;
  void ended(uint64_t instructions) override { tape_.end(instructions); }

  WaveTape::Position position() const { return tape_.position(); }
  void forget_behind(const WaveTape::Position& position) { tape_.forget_behind(position); }

  // Where the pieces of memory are marked that the workgroup touched, steps included that are not
  // on the tape.
  void know_marks(uint8_t* pieces, FreshLines& fresh) {
    own_pieces_ = pieces;
    fresh_ = &fresh;
  }

 private:
  // What a step touched before its stretch is told, in the order of the program.
  struct Touching {
    const CodeSlot* slot;
    uint32_t detail;
  };
  void touches(const CodeSlot& slot, uint32_t detail);
  // Makes room for the access and returns where its requests go.
  uint64_t* add_access(const CodeSlot& slot, TapeAccess access);
  void add_requests(const CodeSlot& slot, const LaneAccess& lanes, uint64_t exec,
                    const PlacedRequests& requests, Link link);
  void add_atomic(const CodeSlot& slot, const LaneAccess& lanes, TapeAccess access,
                  const PlacedRequests& requests);
  void add_global(const CodeSlot& slot, const LaneAccess& lanes);
  void add_lds(const CodeSlot& slot, const LaneAccess& lanes);
  void add_private(const CodeSlot& slot, const LaneAccess& lanes);
  void note_marks(uint64_t* requests, uint32_t count);

  WaveTape& tape_;
  uint64_t private_base_;
  DecodedCode* code_ = nullptr;
  uint32_t touching_count_ = 0;
  uint8_t* own_pieces_ = nullptr;
  FreshLines* fresh_ = nullptr;
  Touching touching_[kWindowSteps];  // no stretch is longer than a window
};

// Tapes the waves of a workgroup.
class GroupTaper {
 public:
  GroupTaper(const GroupStart& start, const TapeRoom& room);
  // Of a workgroup that runs already, and took so many cycles at least.
  GroupTaper(const GroupStart& start, const std::vector<WaveProgress>& progress, uint64_t cycles,
             const TapeRoom& room);

  WaveTaper& wave(uint32_t index) { return tapers_[index]; }
  void know_marks(uint8_t* pieces) {
    fresh_ = std::make_unique<FreshLines>();
    for (WaveTaper& taper : tapers_) taper.know_marks(pieces, *fresh_);
  }
  // After the workgroup has ended.
  GroupTape take();

 private:
  GroupTaper(const GroupStart& start, bool planned, const std::vector<WaveProgress>& progress,
             const TapeRoom& room);

  GroupTape tape_;
  std::vector<WaveTaper> tapers_;
  std::unique_ptr<FreshLines> fresh_;
};

// Tapes of dispatches that were simulated, to be used again.
SparePool<GroupTape>& spare_tapes();

}  // namespace model
}  // namespace vgpu
