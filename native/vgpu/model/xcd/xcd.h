// Event-driven simulation of one XCD: workgroups are placed on CUs as they become free, and the
// waves of each CU issue their steps in the order of time. CUs meet in the memory only: each goes
// ahead by itself, and waits for its turn where it touches what others touch.
#pragma once

#include <cstdint>
#include <vector>

#include "model/launch/launch.h"
#include "model/memory/memory_system.h"
#include "model/memory/pipe.h"
#include "model/xcd/event_queue.h"
#include "model/xcd/timing.h"
#include "model/xcd/waiting_line.h"
#include "model/xcd/wave_clock.h"

namespace vgpu {
namespace model {

class Xcd {
 public:
  Xcd(const LaunchShape& shape, const std::vector<GroupTape>& tapes, MemorySystem& memory,
      StepListener* listener);
  ~Xcd();
  Xcd(const Xcd&) = delete;
  Xcd& operator=(const Xcd&) = delete;

  void run();

  double ended() const { return ended_; }          // when the last wave was done
  // The same with what is not on their tapes; afterwards the mean life of a workgroup is known.
  double ended_whole();
  double mean_life() const { return lives_ / double(groups_.size()); }
  std::vector<std::vector<double>> lives_by_unit() const;
  double life(size_t tape) const { return groups_[tape].life; }
  // When each workgroup could be placed, in the order of the tapes.
  const std::vector<double>& placed() const { return placed_; }
  const TimingTotals& totals() const { return totals_; }   // of the simulated waves, whole
  // Cycles that fabric and memory, or the fetching of code (sum over CUs), work for whole waves.
  double memory_work(double drained) const;
  double fetch_work() const { return fetch_work_; }

 private:
  static constexpr int kPorts = 10;   // one per Unit
  static constexpr int kSimdsPerPair = calibration::kSimdsPerUnit / kLdsPathsPerUnit;
  struct Simd {
    WaitingLine ports[kPorts];
    WaitingLine matrix;
    double matrix_idle = 0;      // when the last result has left the matrix core
    uint32_t waves = 0;          // resident
    uint32_t slots = 0;          // mask of wave slots in use
  };
  struct ComputeUnit {
    Simd simds[calibration::kSimdsPerUnit];
    Pipe lds_banks, lds_paths[calibration::kSimdsPerUnit / kSimdsPerPair];
    WaitingLine lds_queues[calibration::kSimdsPerUnit / kSimdsPerPair], memory_queue;
    uint32_t groups = 0, waves = 0;
    double busy_since = 0;
    EventQueue events;           // of its waves
    double now = 0;              // of the event that it took last
    uint32_t order = 0;          // the highest wave number among its events of that time
  };
  struct Group {
    const GroupTape* tape = nullptr;
    uint32_t first_wave = 0, waves = 0;
    uint32_t live = 0;           // waves that have not ended
    uint32_t at_barrier = 0;     // waves that wait, perhaps at different ones
    int unit = 0;
    double life = 0;             // with what is not on the tapes
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
  void place(int unit, double at);
  void begin_wave(Group& group, uint32_t number, double at);
  void end_wave(uint32_t index, double at);
  double left_out(const WaveClock& wave) const;

  // A wave tries its next step; returns when it may try again, or kWaiting when that depends on
  // others.
  static constexpr double kWaiting = -1;
  static constexpr double kAsks = -2;   // nothing was done: it is not the CU's turn
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
  double wait_in(WaitingLine& line, uint32_t index, double now);
  void call_next(WaitingLine& line, double now);
  void take(WaitingLine& line, double now, double free);

  // The step leaves now; each returns when the wave may try its next one, or kWaiting.
  double issue(WaveClock& wave, const Step& step, const InstructionKind& kind, double now);
  void issue_vector(WaveClock& wave, const Step& step, const InstructionKind& kind, double now);
  void issue_memory(WaveClock& wave, const Step& step, double now);
  void issue_lds(WaveClock& wave, const Step& step, double now);
  void issue_scalar_memory(WaveClock& wave, const Step& step, double now);
  double internal(WaveClock& wave, const Step& step, const InstructionKind& kind, double ready);
  double wait_for_counters(WaveClock& wave, uint32_t vector, uint32_t scalar, double ready);
  void arrive_at_barrier(WaveClock& wave, double at);
  void release_barriers(Group& group, double now);
  bool all_came(const Group& group, uint64_t barrier) const;
  void release_barrier(Group& group, uint64_t barrier, double now);
  void tell(WaveClock& wave, const Step& step, double ready, double issued, double done);
  void tell_return(WaveClock& wave, const Step& step, double at);
  ComputeUnit& unit_of(const WaveClock& wave) { return units_[size_t(wave.unit)]; }
  Simd& simd_of(const WaveClock& wave) { return unit_of(wave).simds[wave.place.simd]; }

  static std::vector<WaveClock>& spare_waves();   // of this thread: memory to be used again

  const LaunchShape& shape_;
  const std::vector<GroupTape>& tapes_;
  MemorySystem& memory_;
  StepListener* listener_;
  const InstructionKind* kinds_;
  uint32_t room_;                // workgroups per CU
  size_t next_tape_ = 0;
  bool takes_turns_ = false;     // waves do, instead of the oldest going first
  uint32_t arrivals_ = 0;        // in waiting lines
  std::vector<ComputeUnit> units_;
  std::vector<Group> groups_;
  std::vector<WaveClock> waves_;
  Pipe launcher_[calibration::kEnginesPerXcd];
  EventQueue turns_;             // of CUs that ask for theirs, each named by one of its waves
  std::vector<double> placed_;
  double ended_ = 0;
  double lives_ = 0;             // sum over workgroups
  PaceBook paces_;
  double memory_work_ = 0, stores_ = 0, whole_stores_ = 0, fetch_work_ = 0;
  TimingTotals totals_;
};

}  // namespace model
}  // namespace vgpu
