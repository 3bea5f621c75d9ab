// Which workgroups of a dispatch are taped for the timing simulation, and how much of their waves.
// Small dispatches are taped whole. Of large ones three rounds of what an XCD holds are: at the
// beginning, in the middle and at the end of the grid; more at the beginning where waves are few and
// short. What the first workgroup executes says how long others are likely to be: of long ones one XCD
// is taped, their waves from beginning to end as long as all of them may not be too many steps
// together (`shorten.h`). Besides, every wave that turns out to be longer is taped from there on,
// because it may be the one that decides when the dispatch ends.
#pragma once

#include <cstdint>

#include "model/launch/launch.h"
#include "model/launch/structure.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

struct SamplePlan {
  // Neighbours among the workgroups of one XCD, counted on that XCD.
  struct Block {
    int xcd = 0;
    uint64_t first = 0, count = 0;
  };
  static constexpr int kBlocks = 3;

  bool on = false;
  bool all = false;          // every workgroup of every XCD
  bool whole = false;        // and every step
  bool chosen = false;       // its XCD has more to do than others
  XcdMask alike = kAllXcds;  // those whose workgroups do the same kind of work as those of its XCD
  bool each = false;         // every workgroup from now on, though one XCD is followed in the end
  Block blocks[kBlocks];
  uint32_t most_runs = 0;    // kept of each wave
  uint64_t whole_steps = 0;  // of a wave up to which it is kept whole though that is more
  uint32_t late_runs = 0;    // of waves that are taped because they are longer than the first ones
  uint64_t few_steps = 0;    // of waves up to which all XCDs of a small dispatch are simulated
  uint64_t expected = 0;     // steps of the longest wave of the first workgroup; 0: not known
  bool first_ended = false;  // in its first turn
  // From which on a wave is taped; set by the first workgroup.
  uint64_t long_cycles = 0, long_steps = 0;
  uint64_t traced_units = 0;  // mask of CUs of which a thread trace is taken
  uint64_t first_round = 0;   // workgroups that XCD 0 holds at a time
  uint64_t most_groups = 0;   // on the tapes, in all blocks

  // What the first workgroup took at least, and its longest wave executed. Unless it has `ended`
  // that is what others execute at least.
  void know_first(uint64_t cycles, uint64_t steps, bool ended);
  // What a wave of the first workgroups executed on average: whether those that follow may be whole
  // together, though some are long.
  void know_first_waves(const LaunchShape& shape, uint64_t mean);
  // Waves that are so short on average: more rounds from the beginning of the grid on, as many waves as
  // three rounds of an XCD that is full of them. True if there are more of them now.
  bool add_rounds(const LaunchShape& shape, uint64_t mean);
  // The blocks are on this XCD from now on.
  void follow(const LaunchShape& shape, int xcd);
  bool wants(uint64_t group) const;
  // A thread trace needs waves to their end: those of the first round, of which it is known where
  // they will run.
  uint32_t runs_of(uint64_t group) const;
  TapeRoom room_of(uint64_t group) const { return {runs_of(group), all || each ? 0 : whole_steps}; }
  // Of each wave, if all are as long.
  uint64_t steps_per_wave() const;
  // Steps from which on the workgroup has to know what it touched off its tape: the first ones are
  // on it when it is about as long as the first workgroup.
  uint64_t marks_from(uint64_t group) const;
};

constexpr uint64_t kLongWave = 2048;  // steps of a wave that is long unless others are, too,
constexpr uint64_t kMostLong = kLongWave * uint64_t(calibration::kIssueCycles);  // and cycles
// A workgroup that is so many times longer than the usual one is not represented by it.
constexpr uint64_t kUsualSpread = 4;

constexpr uint32_t kLongWaveRuns = 16;
constexpr uint64_t kTapedSteps = 4 << 20;  // of all waves of an XCD, or of three rounds, together
// Of so many rounds of whole waves one may stand for the others.
constexpr uint64_t kManyRounds = 2;
// So many times that is simulated of whole waves at most, where so many workgroups of an XCD are on tapes.
uint64_t whole_factor(const LaunchShape& shape, uint64_t groups);

// `traced_units`: see above, 0 for none. `whole`: everything is taped (VROCM_TIMING=full).
SamplePlan plan_sample(const LaunchShape& shape, uint64_t traced_units, bool whole);

}  // namespace model
}  // namespace vgpu
