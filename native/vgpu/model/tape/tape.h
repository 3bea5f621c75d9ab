// What was executed, step by step, for the workgroups that the timing simulation looks at.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/requests/requests.h"
#include "model/tape/spare_pool.h"
#include "observe/observer.h"

namespace vgpu {
namespace model {

// Memory that one instruction asked for, as requests of lines. Lines are physical: they do not
// depend on where the host put an allocation.
struct TapeAccess {
  uint32_t first = 0, count = 0;   // in WaveTape::lines
  uint16_t bytes = 0;              // per lane (vector) or in all (scalar)
  uint16_t lanes = 0;
  bool write = false, atomic = false, host = false;
  bool scalar = false;
  bool system = false;             // atomics: of system scope
  uint16_t conflicts = 0;          // cycles that the tags take longer than one turn of lanes each
  uint16_t turns = 0;              // atomics: one lane of each address at a time, over all lines
};

// A line request: line number << 2 | mask of the line's 64-byte halves that are touched.
constexpr uint64_t line_of(uint64_t request) { return request >> 2; }
constexpr uint32_t halves_of(uint64_t request) { return uint32_t(request & 3); }

struct Step {
  const CodeSlot* slot;
  uint32_t pc;       // offset from the code object's base
  uint32_t detail;   // memory: index in accesses (0 is "nothing touched"); LDS: busy cycles;
                     // others: 0
};

struct WaveTape {
  std::vector<Step> steps;
  std::vector<TapeAccess> accesses;   // [0] is empty
  std::vector<uint64_t> lines;
  uint64_t executed = 0;              // instructions of the wave, also those behind the limit;
                                      // set when it has ended
  uint32_t limit = 0;                 // steps are kept up to this number

  void start(uint32_t step_limit);
  bool full() const { return steps.size() >= limit; }
  bool cut() const { return executed > steps.size(); }
};

struct GroupTape {
  uint64_t group = 0;                 // workgroup number
  std::vector<WaveTape> waves;
};

// Writes the tape of one wave, until that is full.
class WaveTaper final : public WaveObserver {
 public:
  // `private_base`: physical address of the wave's private memory.
  WaveTaper(WaveTape& tape, uint64_t private_base)
      : WaveObserver(kSteps | kMemory), tape_(tape), private_base_(private_base) {}

  void enter(DecodedCode& code) override { code_base_ = code.base(); }
  void step(const CodeSlot& slot, uint64_t pc) override;
  void lanes(const CodeSlot& slot, const LaneAccess& access) override;
  void scalar(const CodeSlot& slot, const ScalarAccess& access) override;
  void ended(uint64_t instructions) override { tape_.executed = instructions; }

 private:
  void add_access(TapeAccess access, const uint64_t* requests);
  void add_requests(const LaneAccess& lanes, uint64_t exec, const Coalesced& requests, bool host);
  void add_global(const LaneAccess& lanes);
  void add_lds(const LaneAccess& lanes);
  void add_private(const LaneAccess& lanes);

  WaveTape& tape_;
  uint64_t private_base_;
  uint64_t code_base_ = 0;
};

// Tapes the waves of a workgroup, each up to `steps` of its steps.
class GroupTaper {
 public:
  GroupTaper(const GroupStart& start, uint32_t steps);

  WaveObserver& wave(uint32_t index) { return tapers_[index]; }
  // After the workgroup has ended.
  GroupTape take() { return std::move(tape_); }

 private:
  GroupTape tape_;
  std::vector<WaveTaper> tapers_;
};

// Tapes of dispatches that were simulated, to be used again.
SparePool<GroupTape>& spare_tapes();

}  // namespace model
}  // namespace vgpu
