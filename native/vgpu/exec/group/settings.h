// What the environment says about how the device runs.
#pragma once

#include <cstdint>

namespace vgpu {

enum class Timing : uint8_t { Off, Sampled, Full };

struct Settings {
  unsigned threads;            // VROCM_THREADS: host threads per dispatch; default all cores
  double timeout_seconds;      // VROCM_TIMEOUT: longest dispatch in host seconds; 0 never ends it
  uint64_t most_instructions;  // VROCM_MOST_INSTRUCTIONS: of one wave; 0 never ends it
  Timing timing;               // VROCM_TIMING: 0 no timing model, kernels take their launch only;
                               // full: every wave is simulated whole; default sampled
  uint64_t order;              // VROCM_ORDER: another order of workgroups and waves; 0 is the usual
  uint64_t rounding;  // VROCM_ROUNDING: a seed of random roundings; 0 rounds as the device does
  double
      progress_seconds;  // VROCM_PROGRESS: until the first line about a long run; 0 never says one
  unsigned rounding_bits;  // VROCM_ROUNDING_BITS: only of results that are at least so wide
};

const Settings& settings();  // read once; a malformed value ends the program with a message

}  // namespace vgpu
