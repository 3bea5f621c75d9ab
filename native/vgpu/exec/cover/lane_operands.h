// The sources of a vector instruction as its arithmetic gets them: behind lane permutation, selection
// of parts, negation and absolute value.
#pragma once

#include "exec/vector/opcode/op.h"
#include "exec/wave/wave.h"

namespace vgpu::cover {

class LaneOperands {
 public:
  // Of an instruction of vector arithmetic that the wave is about to execute.
  LaneOperands(const Wave& wave, const Inst& inst);

  uint64_t active() const { return active_; }  // lanes whose result is written
  int count() const;                           // sources
  baseline::Shape shape(int source) const { return info_.src[source]; }
  uint64_t value(int source, int lane) const { return at(rows_[source], shape(source), lane); }

  // What the arithmetic makes of them, before it is clamped, scaled or put beside other bits.
  void compute();
  uint64_t result(int lane) const { return at(result_, info_.dst, lane); }

 private:
  static uint64_t at(const uint32_t* rows, baseline::Shape shape, int lane);

  const baseline::OpInfo& info_;
  const uint32_t mode_;
  uint64_t active_;
  alignas(64) uint32_t rows_[3][4 * kLanes];
  alignas(64) uint32_t result_[4 * kLanes];
};

}  // namespace vgpu::cover
