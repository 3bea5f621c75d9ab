// Runs one matrix instruction on registers that the caller owns, for the tests in Python.
#include <chrono>
#include <cstdint>
#include <cstring>

#include "../vgpu/exec/wave/handlers.h"
#include "../vgpu/exec/wave/wave.h"
#include "../vgpu/isa/decode.h"

#define DECLARE_SET(set)             \
  namespace set {                    \
  ExecFn select_matrix(const Inst&); \
  }

namespace vgpu {
#undef VGPU_TARGET
DECLARE_SET(baseline)
DECLARE_SET(avx2)
DECLARE_SET(avx512)
}  // namespace vgpu

namespace {

// Decodes and binds; null when it is no matrix instruction or this CPU lacks the set.
vgpu::ExecFn prepare(const uint32_t* words, int set, vgpu::Inst& inst) {
  if (!vgpu::decode(words, 2, inst)) return nullptr;
  __builtin_cpu_init();
  if (set == 0) return vgpu::baseline::select_matrix(inst);
  if (set == 1)
    return __builtin_cpu_supports("x86-64-v3") ? vgpu::avx2::select_matrix(inst) : nullptr;
  return __builtin_cpu_supports("x86-64-v4") ? vgpu::avx512::select_matrix(inst) : nullptr;
}

}  // namespace

// `vgpr` and `agpr` hold 256 rows of 64 dwords. Returns 0, or -1 when nothing ran.
extern "C" int matrix_run(const uint32_t* words, int set, uint32_t* vgpr, uint32_t* agpr) {
  vgpu::Inst inst;
  const vgpu::ExecFn run = prepare(words, set, inst);
  if (run == nullptr) return -1;
  vgpu::Wave wave{};
  wave.vgpr = vgpr;
  wave.agpr = agpr;
  run(wave, inst);
  return 0;
}

// Seconds that `repeat` executions take, or -1.
extern "C" double matrix_time(const uint32_t* words, int set, uint32_t* vgpr, uint32_t* agpr,
                              int repeat) {
  vgpu::Inst inst;
  const vgpu::ExecFn run = prepare(words, set, inst);
  if (run == nullptr) return -1;
  vgpu::Wave wave{};
  wave.vgpr = vgpr;
  wave.agpr = agpr;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeat; ++i) run(wave, inst);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
