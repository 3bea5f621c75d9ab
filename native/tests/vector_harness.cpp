// C entry points that run one encoded vector instruction on given registers, for tests in Python.
#include <cstdint>
#include <cstring>

#include "../vgpu/exec/wave/wave.h"
#include "../vgpu/isa/decode.h"

namespace vgpu {
namespace baseline {
ExecFn select_vector(const Inst& inst);
}
namespace avx2 {
ExecFn select_vector(const Inst& inst);
}
namespace avx512 {
ExecFn select_vector(const Inst& inst);
}
}  // namespace vgpu

namespace {

enum Status : int { kRan = 0, kNotDecoded = 1, kNoHandler = 2, kUnsupportedHost = 3 };

using Select = vgpu::ExecFn (*)(const vgpu::Inst&);

// 0 baseline, 1 AVX2, 2 AVX-512; null when this CPU cannot run it.
Select selector(int target) {
  switch (target) {
    case 0: return vgpu::baseline::select_vector;
    case 1:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                 ? vgpu::avx2::select_vector
                 : nullptr;
    case 2:
      return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
                 ? vgpu::avx512::select_vector
                 : nullptr;
    default: return nullptr;
  }
}

}  // namespace

extern "C" {

// Registers are changed in place: sgpr[128] by operand encoding, vgpr and agpr rows of 64 lanes.
int vector_harness_run(int target, const uint32_t* words, unsigned count, uint32_t* sgpr,
                       uint32_t* vgpr, uint32_t* agpr, uint32_t mode) {
  const Select select = selector(target);
  if (!select) return kUnsupportedHost;
  vgpu::Inst inst;
  if (!vgpu::decode(words, count, inst)) return kNotDecoded;
  const vgpu::ExecFn handler = select(inst);
  if (!handler) return kNoHandler;
  vgpu::Wave wave{};
  std::memcpy(wave.sgpr, sgpr, sizeof wave.sgpr);
  wave.vgpr = vgpr;
  wave.agpr = agpr;
  wave.mode = mode;
  handler(wave, inst);
  std::memcpy(sgpr, wave.sgpr, sizeof wave.sgpr);
  return kRan;
}

unsigned vector_harness_op_count() { return unsigned(vgpu::Op::count_); }

const char* vector_harness_op_name(unsigned op) {
  static const char* const names[] = {
#define VGPU_OP(name, ...) #name,
#include "../vgpu/isa/op_list.inc"
  };
  return names[op];
}

int vector_harness_has_handler(int target, unsigned op) {
  const Select select = selector(target);
  vgpu::Inst inst;
  inst.op = vgpu::Op(op);
  inst.format = vgpu::Format::VOP3;
  return select && select(inst) != nullptr;
}

}  // extern "C"
