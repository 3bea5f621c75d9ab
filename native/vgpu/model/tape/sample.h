// Which workgroups of a dispatch are taped for the timing simulation, and how much of their waves.
// Small dispatches are taped whole. Of large ones three rounds of what an XCD holds are: at the
// beginning, in the middle and at the end of the grid. What the first workgroup executes says how
// long others are likely to be: of long ones one XCD is simulated, and little is taped of the
// others. Besides, every wave that turns out to be long is taped from there on, because it may be
// the one that decides when the dispatch ends.
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
  bool all = false;    // every workgroup of every XCD
  bool whole = false;  // and every step
  Block blocks[kBlocks];
  uint32_t most_runs = 0;     // kept of each wave
  uint64_t expected = 0;      // steps of the longest wave of the first workgroup; 0: not known
  uint64_t long_cycles = 0;   // from which on a wave is taped; set by the first workgroup
  uint64_t traced_units = 0;  // mask of CUs of which a thread trace is taken
  uint64_t first_round = 0;   // workgroups that XCD 0 holds at a time

  bool wants(uint64_t group) const;
  // A thread trace needs waves to their end: those of the first round, of which it is known where
  // they will run.
  TapeLength length(uint64_t group) const;
};

constexpr uint64_t kLongWave = 2048;  // steps from which on a wave is taped in any case
// A workgroup that is so many times longer than the usual one is not represented by it.
constexpr uint64_t kUsualSpread = 4;

// Cycles from which on waves are taped, by what the first workgroup took at least: before it is known
// that they are not represented.
uint64_t long_cycles(uint64_t usual);

constexpr uint32_t kLongWaveRuns = 16;

// `traced_units`: see above, 0 for none. `whole`: everything is taped (VROCM_TIMING=full).
SamplePlan plan_sample(const LaunchShape& shape, uint64_t traced_units, bool whole);

}  // namespace model
}  // namespace vgpu
