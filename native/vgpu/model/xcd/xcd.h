// Event-driven simulation of one XCD: workgroups are placed on CUs as they become free, and the
// waves of each CU issue their steps in the order of time. CUs meet in the memory only: each goes
// ahead by itself, and waits for its turn where it touches what others touch. Where workgroups do the
// same, the shader engines go in step: the CUs of one are followed, and the workgroups beside, on the
// CUs of the others, send their own requests through the memory when it does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/ideal/ideal.h"
#include "model/launch/launch.h"
#include "model/memory/memory_system.h"
#include "model/memory/pipe.h"
#include "model/tape/fewest_requests.h"
#include "model/xcd/event_queue.h"
#include "model/xcd/sharing.h"
#include "model/xcd/step_listener.h"
#include "model/xcd/timing_totals.h"
#include "model/xcd/waiting_line.h"
#include "model/xcd/wave_clock.h"

namespace vgpu {
namespace model {

enum class Engines { Each, InStep };
constexpr int kAnyUnit = -1;  // a workgroup that no CU has to run

class Xcd {
 public:
  // `engines`: may go in step, where that is worth it. `homes`: CUs of the tapes, empty for any.
  Xcd(const LaunchShape& shape, const std::vector<GroupTape>& tapes, MemorySystem& memory,
      Engines engines, StepListener* listener = nullptr, const std::vector<int>& homes = {});
  ~Xcd();
  Xcd(const Xcd&) = delete;
  Xcd& operator=(const Xcd&) = delete;

  void run();

  double ended() const { return ended_; }  // when the last wave was done
  // The same with what is not on their tapes; afterwards the mean life of a workgroup is known.
  double ended_whole();
  // The same of the workgroups that were placed last; ended_whole() was called.
  double last_ended_whole(size_t groups) const;
  double mean_life() const { return lives_ / double(tapes_.size()); }
  std::vector<std::vector<SharedLife>> lives_by_unit() const;
  double life(size_t tape) const;
  // When each workgroup could be placed, in the order of the tapes.
  const std::vector<double>& placed() const { return placed_; }
  // Cycles from one workgroup to the next once the XCD was full, and steps of those that made room. The
  // mean life of a workgroup is known.
  struct Pace {
    double cycles, steps;
  };
  Pace pace() const;
  const TimingTotals& totals() const { return totals_; }  // of the simulated waves, whole
  // Cycles that fabric and memory, or the fetching of code and the LDS (sums over CUs), work for
  // whole waves.
  double memory_work(double drained) const;
  double fetch_work() const { return fetch_work_; }
  double lds_work() const { return std::max(lds_banks_, lds_paths_ / kLdsPathsPerUnit); }
  // Cycles of the LDS's banks for one of a path to it.
  double lds_banks_per_path() const { return lds_paths_ > 0 ? lds_banks_ / lds_paths_ : 0; }

 private:
  static constexpr int kPorts = 10;  // one per Unit
  static constexpr int kSimdsPerPair = calibration::kSimdsPerUnit / kLdsPathsPerUnit;
  struct Simd {
    WaitingLine ports[kPorts];
    WaitingLine matrix;
    double matrix_idle = 0;  // when the last result has left the matrix core
    uint32_t waves = 0;      // resident
    uint32_t slots = 0;      // mask of wave slots in use
  };
  struct ComputeUnit {
    Simd simds[calibration::kSimdsPerUnit];
    Pipe lds_banks, lds_paths[calibration::kSimdsPerUnit / kSimdsPerPair];
    WaitingLine lds_queues[calibration::kSimdsPerUnit / kSimdsPerPair], memory_queue;
    uint32_t groups = 0, waves = 0;
    double busy_since = 0;
    EventQueue events;   // of its waves
    double now = 0;      // of the event that it took last
    uint32_t order = 0;  // the highest wave number among its events of that time
  };
  // A workgroup, and those that go in step with it: the tapes behind its own, on the CUs behind its
  // own.
  struct Group {
    uint32_t first_tape = 0;
    uint32_t members = 1;
    uint32_t shown = 0;  // the member whose memory says how long it takes
    uint32_t first_wave = 0, waves = 0;
    uint32_t live = 0;        // waves that have not ended
    uint32_t at_barrier = 0;  // waves that wait, perhaps at different ones
    int unit = 0;
    double life = 0;  // with what is not on the tapes
    double began = 0, ended = 0;
    double ended_whole = 0;
  };

  // The order of CUs.
  void run_unit(ComputeUnit& unit);
  bool has_turn(const ComputeUnit& unit) const {
    return turns_.would_be_next({unit.now, unit.order});
  }
  bool begins_line(const WaveClock& wave, const Step& step) const {
    return (shape_.code_physical + step.pc) / calibration::kInstructionLineBytes != wave.fetched;
  }

  // Placing workgroups.
  void place_groups(double at);
  int unit_with_room() const;
  uint32_t members_on(int unit) const;
  void place(int unit, double at);
  void begin_wave(Group& group, uint32_t number, double at);
  void end_wave(uint32_t index, double at);
  double left_out(const WaveClock& wave) const;

  // A wave tries its next step; returns when it may try again, or kWaiting when that depends on
  // others.
  static constexpr double kWaiting = -1;
  static constexpr double kAsks = -2;  // nothing was done: it is not the CU's turn
  double advance(uint32_t index, double now);
  double try_step(uint32_t index, double now);
  static double after_others(const WaveClock& wave, const Step& step, double at);
  void begin_window(WaveClock& wave);
  void touch(const WaveClock& wave, const TapeWindow& window, uint32_t end);
  void decode(WaveClock& wave, const Step& step);
  double fetched(WaveClock& wave, const Step& step, double at, bool& first);
  double operands_ready(const WaveClock& wave, const Step& step, const InstructionKind& kind);
  WaitingLine* busy_line(const WaveClock& wave, const InstructionKind& kind, double now);
  WaitingLine* busy_queue(const WaveClock& wave, Unit unit, double now);
  bool is_busy(const WaitingLine& line, double now) const;
  Event event_of(uint32_t wave, double at) const { return {at, wave, waves_[wave].later}; }
  double wait_in(WaitingLine& line, uint32_t index, double now);
  void call_next(WaitingLine& line, double now);
  void take(WaitingLine& line, double now, double free);

  // The step leaves now; each returns when the wave may try its next one, or kWaiting.
  double issue(WaveClock& wave, const Step& step, const InstructionKind& kind, double now);
  void issue_vector(WaveClock& wave, const Step& step, const InstructionKind& kind, double now);
  void issue_memory(WaveClock& wave, const Step& step, double now);
  void pass_memory(WaveClock& wave, const Step& step, double now);
  void issue_lds(WaveClock& wave, const Step& step, double now);
  void issue_scalar_memory(WaveClock& wave, const Step& step, double now);
  double internal(WaveClock& wave, const Step& step, const InstructionKind& kind, double ready);
  double wait_for_counters(WaveClock& wave, uint32_t vector, uint32_t scalar, double ready);
  void arrive_at_barrier(WaveClock& wave, double at);
  InstructionKind kind_at(const Step& step) const;
  bool is_spill(const Step& step) const {
    return free_.has(Ideal::Spills) && step.slot->inst.format == Format::SCRATCH;
  }
  bool is_free_here(const Step& step) const {
    const Unit unit = step.slot->unit;
    return shape_.free_code && unit != Unit::Internal && unit != Unit::Branch &&
           shape_.free_code->has(step.pc);
  }
  void release_barriers(Group& group, double now);
  bool all_came(const Group& group, uint64_t barrier) const;
  void release_barrier(Group& group, uint64_t barrier, double now);
  void tell(WaveClock& wave, const Step& step, double ready, double issued, double done);
  void tell_return(WaveClock& wave, const Step& step, double at);
  // Memory of those who go in step with a wave, each by its own tape.
  struct Member {
    const TapeAccess* accesses;
    const uint64_t* lines;
  };
  const Member* members_of(const WaveClock& wave) const {
    return members_.data() + size_t(&wave - waves_.data()) * size_t(engines_);
  }
  template <class Use>  // use(the member's number, access, its lines)
  void for_members(const WaveClock& wave, const Step& step, Use use) {
    const uint32_t detail = step.detail;
    const Member* all = members_of(wave);
    const uint32_t members = groups_[wave.group].members;
    for (uint32_t n = 1; n < members; ++n) __builtin_prefetch(all[n].accesses + detail);
    for (uint32_t n = 1; n < members; ++n)
      __builtin_prefetch(all[n].lines + all[n].accesses[detail].first);
    const bool coalesced = free_.has(Ideal::Coalescing);
    const uint64_t visit =
        coalesced ? fewest_.visit(uint32_t(&wave - waves_.data()), step.slot) : 0;
    for (uint32_t n = 0; n < members; ++n) {
      const TapeAccess& access = all[n].accesses[detail];
      const uint64_t* const lines = all[n].lines + access.first;
      if (!coalesced) {
        use(n, access, lines);
        continue;
      }
      const FewestRequests::Fewest fewest = fewest_.of(access, lines, visit);
      use(n, fewest.access, fewest.lines);
    }
  }
  ComputeUnit& unit_of(const WaveClock& wave) { return units_[size_t(wave.unit)]; }
  Simd& simd_of(const WaveClock& wave) { return unit_of(wave).simds[wave.place.simd]; }

  static std::vector<WaveClock>& spare_waves();  // of this thread: memory to be used again

  const LaunchShape& shape_;
  const std::vector<GroupTape>& tapes_;
  MemorySystem& memory_;
  StepListener* listener_;
  const Ideals free_;
  std::vector<InstructionKind> own_kinds_;  // empty when nothing is free
  const InstructionKind* kinds_;
  FewestRequests fewest_;   // where coalescing is free
  uint32_t room_;           // workgroups per CU
  std::vector<int> homes_;  // CUs of the tapes; empty: any
  size_t next_tape_ = 0;
  std::vector<uint8_t> alike_;  // each tape to the one before
  int engines_ = 1;             // that go in step
  bool takes_turns_ = false;    // waves do, instead of the oldest going first
  uint32_t arrivals_ = 0;       // in waiting lines
  std::vector<ComputeUnit> units_;
  std::vector<Group> groups_;
  std::vector<WaveClock> waves_;
  std::vector<Member> members_;  // as many for each wave as engines go in step
  Pipe launcher_[calibration::kEnginesPerXcd];
  EventQueue turns_;  // of CUs that ask for theirs, each named by one of its waves
  std::vector<double> placed_;
  std::vector<double> queued_;  // how long its first wave waited for the launch of others
  double ended_ = 0;
  double lives_ = 0;  // sum over workgroups
  PaceBook paces_;
  double memory_work_ = 0, stores_ = 0, whole_stores_ = 0, fetch_work_ = 0;
  double lds_banks_ = 0, lds_paths_ = 0;
  TimingTotals totals_;
};

}  // namespace model
}  // namespace vgpu
