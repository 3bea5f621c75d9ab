// What makes a wave wait for its own last instructions, as thread traces of an MI300X show it.
#pragma once

#include <cstdint>

#include "isa/inst.h"
#include "isa/op_class.h"

namespace vgpu {
namespace model {

class Interlocks {
 public:
  // The wave has issued `inst` at `now`.
  void issued(const Inst& inst, Unit unit, double now);
  // When it can issue `inst` at the earliest, as far as that depends on those before.
  double until(const Inst& inst, Unit unit) const;

 private:
  // Scalar registers that a vector instruction writes: the scalar unit reads them from `ready` on.
  struct ScalarResult {
    uint16_t first = 1, last = 0;
    double ready = 0;
  };
  static constexpr unsigned kResults = 4;   // as many can be written before the first is ready

  void writes(const Operand& operand, double ready);
  double scalars_ready(const Inst& inst) const;
  double read(uint16_t first, uint16_t last) const;

  double memory_from_ = 0;   // vector memory and LDS: behind vector arithmetic
  double branch_from_ = 0;   // behind scalar arithmetic
  double scalar_ready_ = 0;  // the latest of `results_`
  ScalarResult results_[kResults];
  unsigned next_ = 0;
};

}  // namespace model
}  // namespace vgpu
