// What makes a wave wait for its own last instructions, as thread traces of an MI300X show it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/inst.h"
#include "isa/op_class.h"
#include "model/launch/structure.h"

namespace vgpu {
namespace model {

class Interlocks {
 public:
  // The wave has issued `inst` at `now`.
  void issued(const Inst& inst, Unit unit, double now) {
    const double done = now + calibration::kIssueCycles;
    if (unit == Unit::Valu) {
      memory_from_ = done + calibration::kVectorToMemoryCycles;
      if (inst.dst.kind == OperandKind::Sgpr || inst.sdst.kind == OperandKind::Sgpr)
        note_scalars(inst, done + calibration::kVectorToScalarCycles);
    } else if (unit == Unit::Salu) {
      branch_from_ = done + calibration::kScalarToBranchCycles;
    }
  }

  // When it can issue `inst`, which it could at `at` if nothing came before.
  double until(const Inst& inst, Unit unit, double at) const {
    switch (unit) {
      case Unit::Vmem:
      case Unit::Flat:
      case Unit::Lds: return std::max(at, memory_from_);
      case Unit::Branch: at = std::max(at, branch_from_); [[fallthrough]];
      case Unit::Salu:
      case Unit::Smem: return scalar_ready_ > at ? std::max(at, scalars_ready(inst)) : at;
      default: return at;
    }
  }

 private:
  // Scalar registers that a vector instruction writes: the scalar unit reads them from `ready` on.
  struct ScalarResult {
    uint16_t first = 1, last = 0;
    double ready = 0;
  };
  static constexpr unsigned kResults = 4;  // as many can be written before the first is ready

  void note_scalars(const Inst& inst, double ready);
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
