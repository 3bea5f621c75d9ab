// C entry points that run one encoded vector instruction on given registers, for tests in Python.
#include <cstdint>
#include <cstring>

#include "../vgpu/exec/wave/wave.h"
#include "../vgpu/isa/decode.h"
#include "cpu_targets.h"

namespace {

enum Status : int { kRan = 0, kNotDecoded = 1, kNoHandler = 2, kUnsupportedHost = 3 };

}  // namespace

extern "C" {

// Registers are changed in place: sgpr[128] by operand encoding, vgpr and agpr rows of 64 lanes.
int vector_harness_run(const char* target, const uint32_t* words, unsigned count, uint32_t* sgpr,
                       uint32_t* vgpr, uint32_t* agpr, uint32_t mode) {
  const vgpu::Handlers* handlers = vgpu::handlers_of(target);
  if (!handlers) return kUnsupportedHost;
  vgpu::Inst inst;
  if (!vgpu::decode(words, count, inst)) return kNotDecoded;
  const vgpu::ExecFn handler = handlers->vector(inst);
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

int vector_harness_has_handler(const char* target, unsigned op) {
  const vgpu::Handlers* handlers = vgpu::handlers_of(target);
  vgpu::Inst inst;
  inst.op = vgpu::Op(op);
  inst.format = vgpu::Format::VOP3;
  return handlers && handlers->vector(inst) != nullptr;
}

}  // extern "C"
