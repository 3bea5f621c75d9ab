// What the timing simulation tells about single waves: the raw material of a thread trace.
#pragma once

#include <cstdint>

#include "isa/inst.h"
#include "model/instruction/instruction_kind.h"

namespace vgpu {
namespace model {

// Where a wave runs. `slot` is its place on the SIMD.
struct WavePlace {
  uint32_t engine, unit, simd, slot;  // unit: number within its shader engine
  uint64_t group;                     // workgroup number in the dispatch
  uint32_t wave;                      // wave number within the workgroup
};

struct StepTimes {
  uint64_t pc;  // offset from the base of the kernel's code object, as on the tape
  const Inst* inst;
  InstructionKind kind;
  uint64_t ready;   // cycle at which the wave first tried to issue it
  uint64_t issued;  // cycle at which it left; issued - ready is its stall
  uint64_t done;    // cycle at which the wave could go on; done - ready is its duration
};

// Times are cycles since the dispatch started on this XCD. Waves of the whole XCD are announced;
// steps are told only of waves for which `wants` returned true when they began.
class StepListener {
 public:
  virtual ~StepListener() = default;
  virtual bool wants(const WavePlace& place) = 0;
  virtual void wave_began(const WavePlace& place, uint64_t cycle) = 0;
  virtual void step(const WavePlace& place, const StepTimes& times) = 0;
  // A vector, scalar or LDS memory instruction's data is there, or its store was acknowledged.
  virtual void memory_returned(const WavePlace& place, uint64_t pc, uint64_t cycle) = 0;
  virtual void wave_ended(const WavePlace& place, uint64_t cycle) = 0;
};

}  // namespace model
}  // namespace vgpu
