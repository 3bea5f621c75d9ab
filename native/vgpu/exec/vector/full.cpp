// The path of every encoding that is not plain: prepare the sources, run the opcode's kernel on all
// lanes, finish the result and write the active lanes.
#include "exec/lanes/masked_row.h"
#include "exec/vector/opcode/engine.h"
#include "exec/vector/modifiers.h"
#include "host/float_mode.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// MODE's two bits for one format: round field at `shift`, denormal field at `shift + 4`
// (bit 0 keeps denormal sources, bit 1 keeps denormal results).
struct FormatMode {
  u32 round;
  bool keep_sources, keep_results;
};

FormatMode format_mode(u32 mode, Shape shape) {
  const bool single = shape == Shape::F32 || shape == Shape::PackedF32 || shape == Shape::Mixed;
  const u32 shift = single ? 0 : 2;
  const u32 denormals = mode >> (4 + shift) & 3;
  return {mode >> shift & 3, (denormals & 1) != 0, (denormals & 2) != 0};
}

bool is_float(Shape s) {
  return s == Shape::F16 || s == Shape::F32 || s == Shape::F64 || s == Shape::PackedF16 ||
         s == Shape::PackedF32 || s == Shape::Mixed;
}

// Runs the kernel with the host rounding as MODE asks. The compiler does not move the arithmetic
// across the indirect call.
void run_kernel(Kernel kernel, KernelArgs& k, u32 round) {
  if (round == 0) return kernel(k);
  const FloatControl saved = float_control();
  set_float_control((saved & ~kRoundMask) | kRound[round]);
  kernel(k);
  set_float_control(saved);
}

// The format whose rounding the host arithmetic follows: the result's, except that v_fma_mix*
// computes in f32 (rounding the f32 value to f16 is the kernel's own business).
u32 host_rounding(const OpInfo& info, u32 mode) {
  if (!(info.flags & kRounds)) return 0;
  return format_mode(mode, info.src[0] == Shape::Mixed ? Shape::F32 : info.dst).round;
}

u64 prepare_sources(Wave& w, const Inst& inst, const OpInfo& info, u32 (*rows)[4 * kLanes]) {
  u64 write = ~0ull;
  for (int s = 0; s < 3; ++s) {
    const Shape shape = info.src[s];
    const int dwords = dwords_of(shape);
    if (dwords == 0) continue;
    const bool accumulator = s == 2 && (info.flags & kAccumulates);
    const Operand& operand = accumulator ? inst.dst : inst.src[s];
    if (operand.kind == OperandKind::Vgpr || operand.kind == OperandKind::Agpr) {
      std::memcpy(rows[s], w.row(operand), size_t(dwords) * kLanes * sizeof(u32));
    } else {
      const u64 value = scalar_value(w, operand, dwords);
      for (int d = 0; d < dwords; ++d)
        for (int i = 0; i < kLanes; ++i) rows[s][d * kLanes + i] = u32(value >> (32 * (d & 1)));
    }
    if (s == 0 && inst.modifier == Modifier::Dpp)
      write = apply_dpp(inst.dpp, w.exec(), rows[s], dwords);
    if (!accumulator) modify_source(inst, s, shape, rows[s]);
    const Shape flush_as = shape == Shape::Mixed ? Shape::F32 : shape;
    if (is_float(shape) && !(info.flags & kRawBits) && !format_mode(w.mode, shape).keep_sources)
      flush_denormals(flush_as, rows[s]);
  }
  return write;
}

void finish_result(const Wave& w, const Inst& inst, const OpInfo& info, u32* rows) {
  if (!is_float(info.dst) || (info.flags & kRawBits)) return;
  const FormatMode format = format_mode(w.mode, info.dst);
  const bool ieee = w.mode >> 9 & 1, dx10_clamp = w.mode >> 8 & 1;
  if (!format.keep_results) flush_denormals(info.dst, rows);
  // The hardware ignores output modifiers in IEEE mode and when denormal results are kept.
  if (inst.omod && !ieee && !format.keep_results) scale_result(info.dst, inst.omod, rows);
  if (inst.clamp) clamp_result(info.dst, dx10_clamp, rows);
}

void place_result(const Inst& inst, const OpInfo& info, const u32* old, u32* rows) {
  if (inst.modifier == Modifier::Sdwa) return place_sdwa(inst.sdwa, old, rows);
  if (info.flags & kByteResult) return place_byte(inst.op_sel >> 2 & 3, old, rows);
  if (!is_half_wide(info.dst)) return;
  const bool high = (info.flags & kHighHalf) || (inst.format == Format::VOP3 && inst.op_sel & 8);
  if (high || (info.flags & kKeepsHalf)) place_half(high, old, rows);
}

// SDWA as compilers use it most: parts of integers are sources, the result is a whole dword.
bool only_selects_parts(const Inst& inst, const OpInfo& info) {
  if (inst.modifier != Modifier::Sdwa || inst.sdwa.dst_sel != kWholeDword) return false;
  if (inst.neg | inst.abs | inst.clamp | inst.omod) return false;
  const bool dwords = info.src[0] == Shape::B32 && info.src[2] == Shape::None &&
                      (info.src[1] == Shape::B32 || info.src[1] == Shape::None) &&
                      (info.dst == Shape::B32 || info.dst == Shape::None);
  return dwords && !(info.flags & (kByteResult | kAlwaysFull));
}

// The opcode's kernel reads registers that are sources as a whole, and writes the active lanes.
void run_on_parts(Wave& w, const Inst& inst, const OpInfo& info) {
  alignas(64) u32 parts[2][kLanes];
  KernelArgs k{};
  k.exec = w.exec();
  k.mode = w.mode;
  for (int s = 0; s < 2; ++s) {
    if (info.src[s] == Shape::None) continue;
    const u32* rows = source_rows<1>(w, inst.src[s], parts[s]);
    k.src[s] = rows_at(select_parts(inst.sdwa, s, rows, parts[s]));
  }
  if (info.dst != Shape::None) k.dst = w.row(inst.dst);
  if (info.flags & kReadsMask) k.mask = mask_operand(w, inst.src[2]);
  info.kernel(k);
  if (info.flags & kWritesMask) write_mask(w, inst, info.flags, k.mask_result & k.exec);
}

}  // namespace

void run_full(Wave& w, const Inst& inst, const OpInfo& info) {
  if (only_selects_parts(inst, info)) return run_on_parts(w, inst, info);
  alignas(64) u32 sources[3][4 * kLanes];
  alignas(64) u32 result[4 * kLanes];  // the kernel writes what is read of it
  KernelArgs k{};
  k.dst = result;
  k.exec = ~0ull;
  k.mode = w.mode;
  const u64 write = prepare_sources(w, inst, info, sources) & w.exec();
  for (int s = 0; s < 3; ++s) k.src[s] = rows_at(sources[s]);
  if (info.flags & kReadsMask)
    k.mask = mask_operand(w, inst.src[info.src[2] == Shape::None ? 2 : 3]);
  const bool saturating = inst.clamp && (info.flags & kSaturates);
  run_kernel(saturating ? info.saturating : info.kernel, k, host_rounding(info, w.mode));

  const int dwords = dwords_of(info.dst);
  if (dwords > 0) {
    u32* dst = w.row(inst.dst);
    finish_result(w, inst, info, result);
    place_result(inst, info, dst, result);
    merge_rows(dst, result, write, dwords);
  }
  if (info.flags & kWritesMask) write_mask(w, inst, info.flags, k.mask_result & write);
}

u64 special_source(const Wave& wave, int encoding) { return special_value(wave, encoding); }

void merge_rows(u32* dst, const u32* result, u64 exec, int dwords) {
  if (exec == ~0ull) {
    // Of a fixed size, which takes no call; a move may be to itself.
    for (int d = 0; d < dwords; ++d)
      std::memmove(dst + d * kLanes, result + d * kLanes, kLanes * sizeof(u32));
    return;
  }
  for (int d = 0; d < dwords; ++d) blend_masked(dst + d * kLanes, result + d * kLanes, exec);
}

void merge_low_halves(u32* dst, const u32* result, u64 exec) {
  alignas(64) u32 merged[kLanes];
  VGPU_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) merged[i] = (dst[i] & 0xffff0000u) | (result[i] & 0xffff);
  merge_rows(dst, merged, exec, 1);
}

#if defined(__AVX512F__)

// Compilers take four times as many instructions for the loops below.
void interleave_rows(u32* pairs, const u32* rows) {
  const __m512i front = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i back = _mm512_add_epi32(front, _mm512_set1_epi32(8));
  for (int l = 0; l < kLanes; l += 16) {
    const __m512i low = _mm512_loadu_si512(rows + l), high = _mm512_loadu_si512(rows + kLanes + l);
    _mm512_storeu_si512(pairs + 2 * l, _mm512_permutex2var_epi32(low, front, high));
    _mm512_storeu_si512(pairs + 2 * l + 16, _mm512_permutex2var_epi32(low, back, high));
  }
}

void separate_rows(u32* rows, const u32* pairs) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  for (int l = 0; l < kLanes; l += 16) {
    const __m512i front = _mm512_loadu_si512(pairs + 2 * l);
    const __m512i back = _mm512_loadu_si512(pairs + 2 * l + 16);
    _mm512_storeu_si512(rows + l, _mm512_permutex2var_epi32(front, even, back));
    _mm512_storeu_si512(rows + kLanes + l, _mm512_permutex2var_epi32(front, odd, back));
  }
}

#else

void interleave_rows(u32* pairs, const u32* rows) {
  VGPU_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) {
    pairs[2 * i] = rows[i];
    pairs[2 * i + 1] = rows[i + kLanes];
  }
}

void separate_rows(u32* rows, const u32* pairs) {
  VGPU_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) {
    rows[i] = pairs[2 * i];
    rows[i + kLanes] = pairs[2 * i + 1];
  }
}

#endif

void change_signs(u32* changed, const u32* row, u32 clear, u32 flip) {
  VGPU_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) changed[i] = (row[i] & ~clear) ^ flip;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
