#include "instruction_kind.h"

#include <cstring>

#include "../isa/decode.h"
#include "matrix_cycles.h"
#include "structure.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

bool starts(const char* name, const char* with) {
  return std::strncmp(name, with, std::strlen(with)) == 0;
}
bool contains(const char* name, const char* part) { return std::strstr(name, part) != nullptr; }

// Operations that a SIMD executes with a quarter of its lanes, or less often.
bool is_transcendental(const char* name) {
  static const char* const kNames[] = {"v_exp_", "v_log_", "v_rcp_", "v_rsq_",
                                       "v_sqrt_", "v_sin_", "v_cos_"};
  for (const char* known : kNames)
    if (starts(name, known)) return true;
  return false;
}
bool is_wide_multiplication(const char* name) {
  return contains(name, "v_mul_lo_u32") || contains(name, "v_mul_hi_") ||
         contains(name, "v_mad_u64_u32") || contains(name, "v_mad_i64_i32");
}

// LLVM's SIInstrInfo::isNeverCoissue, without the transcendental ones, whose first cycles do overlap.
bool is_never_beside_matrix(const char* name) {
  static const char* const kNames[] = {"v_pk_", "v_dot", "v_cvt_pk_bf8_f32", "v_cvt_pk_fp8_f32",
                                       "v_mqsad_", "v_qsad_pk_"};
  for (const char* known : kNames)
    if (starts(name, known)) return true;
  return false;
}

InstructionKind vector_kind(const Inst& inst, const char* name) {
  if (uint16_t cycles = matrix_cycles(inst.op)) return {Unit::Matrix, kIssueCycles, cycles};
  int cycles = kIssueCycles;
  if (is_transcendental(name))
    cycles = contains(name, "_f64") ? kTranscendentalDoubleCycles : kTranscendentalCycles;
  else if (is_wide_multiplication(name))
    cycles = kQuarterRateCycles;
  else if (contains(name, "_f64"))
    cycles = kDoubleCycles;
  return {Unit::Valu, uint16_t(cycles), uint16_t(cycles), is_never_beside_matrix(name)};
}

InstructionKind program_kind(const Inst& inst, const char* name) {
  if (contains(name, "branch")) return {Unit::Branch, kIssueCycles, kIssueCycles};
  if (starts(name, "s_sendmsg")) return {Unit::Message, kIssueCycles, kIssueCycles};
  if (inst.op == Op::s_nop) {
    uint16_t cycles = uint16_t(kIssueCycles * (1 + (inst.words[0] & 15)));
    return {Unit::Internal, cycles, cycles};
  }
  return {Unit::Internal, kIssueCycles, kIssueCycles};
}

}  // namespace

InstructionKind classify(const Inst& inst) {
  const char* name = mnemonic(inst.op);
  switch (inst.format) {
    case Format::SOPP: return program_kind(inst, name);
    case Format::SOP1: case Format::SOPK: case Format::SOP2: case Format::SOPC:
      if (contains(name, "pc_b64") || contains(name, "s_call") || contains(name, "branch"))
        return {Unit::Branch, kIssueCycles, kIssueCycles};
      return {Unit::Salu, kIssueCycles, kIssueCycles};
    case Format::SMEM: return {Unit::Smem, kIssueCycles, kIssueCycles};
    case Format::DS: return {Unit::Lds, kIssueCycles, kIssueCycles};
    case Format::FLAT: return {Unit::Flat, kIssueCycles, kIssueCycles};
    case Format::GLOBAL: case Format::SCRATCH: case Format::MUBUF: case Format::MTBUF:
      return {Unit::Vmem, kIssueCycles, kIssueCycles};
    default: return vector_kind(inst, name);
  }
}

}  // namespace model
}  // namespace vgpu
