#include "model/xcd/wave_clock.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

bool overlaps(const MatrixResult& result, const Operand& operand) {
  return operand.kind == result.file && operand.reg <= result.last &&
         operand.reg + operand.dwords > result.first;
}

bool is_exactly(const MatrixResult& result, const Operand& operand) {
  return operand.kind == result.file && operand.reg == result.first &&
         operand.reg + operand.dwords - 1 == result.last;
}

}  // namespace

double matrix_operands_ready(const WaveClock& wave, const Inst& inst, bool is_matrix) {
  double ready = 0;
  for (const MatrixResult& result : wave.matrix)
    for (int n = 0; n < 3; ++n) {
      if (!overlaps(result, inst.src[n])) continue;
      if (is_matrix && n == 2 && is_exactly(result, inst.src[n])) continue;
      ready = std::max(ready, result.ready);
    }
  return ready;
}

void note_matrix_result(WaveClock& wave, const Inst& inst, double ready) {
  MatrixResult& result = wave.matrix[wave.matrix_next++ & 3];
  result = {inst.dst.kind, inst.dst.reg, uint16_t(inst.dst.reg + inst.dst.dwords - 1), ready};
  wave.matrix_ready = std::max(wave.matrix_ready, ready);
}

}  // namespace model
}  // namespace vgpu
