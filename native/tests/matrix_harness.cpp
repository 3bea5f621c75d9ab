// Runs one matrix instruction on registers that the caller owns, for the tests in Python.
#include <cstdint>

#include "../vgpu/exec/wave/wave.h"
#include "../vgpu/isa/decode.h"
#include "cpu_targets.h"

namespace {

// Decodes and binds; null when it is no matrix instruction or this CPU lacks the set.
vgpu::ExecFn prepare(const uint32_t* words, const char* target, vgpu::Inst& inst) {
  const vgpu::Handlers* handlers = vgpu::handlers_of(target);
  return handlers && vgpu::decode(words, 2, inst) ? handlers->matrix(inst) : nullptr;
}

}  // namespace

// `vgpr` and `agpr` hold 256 rows of 64 dwords. Returns 0, or -1 when nothing ran.
extern "C" int matrix_run(const uint32_t* words, const char* target, uint32_t* vgpr,
                          uint32_t* agpr) {
  vgpu::Inst inst;
  const vgpu::ExecFn run = prepare(words, target, inst);
  if (run == nullptr) return -1;
  vgpu::Wave wave{};
  wave.vgpr = vgpr;
  wave.agpr = agpr;
  run(wave, inst);
  return 0;
}
