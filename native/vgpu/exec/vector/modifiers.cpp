// Source and result modifiers of the vector encodings.
#include "exec/vector/modifiers.h"

#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

template <class T, class Function>
VGPU_INLINE void each_lane(u32* rows, Function f) {
  for (int i = 0; i < kLanes; ++i) Lane<T>::store(rows, i, f(Lane<T>::load(rows, i)));
}

// Runs a generic function over every float of the operand, whatever its format.
template <class Function>
VGPU_INLINE void each_float(Shape shape, u32* rows, Function f) {
  switch (shape) {
    case Shape::F16: each_lane<f16>(rows, f); break;
    case Shape::F32: each_lane<f32>(rows, f); break;
    case Shape::F64: each_lane<f64>(rows, f); break;
    case Shape::PackedF16:
      each_lane<u32>(rows, [&](u32 x) {
        const u32 low = f(f16{u16(x)}).bits, high = f(f16{u16(x >> 16)}).bits;
        return low | high << 16;
      });
      break;
    case Shape::PackedF32:
      each_lane<f32>(rows, f);
      each_lane<f32>(rows + kLanes, f);
      break;
    default: break;
  }
}

// Which bits of a dword SDWA names: a byte (0 to 3), a word (4, 5) or all of them.
struct Part {
  unsigned shift, bits;
  explicit Part(unsigned number)
      : shift(number < 4             ? 8 * number
              : number < kWholeDword ? 16 * (number - 4)
                                     : 0),
        bits(number < 4             ? 8
             : number < kWholeDword ? 16
                                    : 32) {}
};

// The sign bit that neg and abs work on; a dword's for operands without a float type.
void apply_sign(Shape shape, bool neg, bool abs, u32* rows) {
  const u32 sign = is_half_wide(shape) ? 0x8000u : 0x80000000u;
  u32* row = dwords_of(shape) == 2 ? rows + kLanes : rows;
  change_signs(row, row, abs ? sign : 0u, neg ? sign : 0u);
}

void select_halves(const PackedSelection& select, const u32* rows, u32* selected) {
  const unsigned low = select.low * 16, high = select.high * 16;
  const u32 flip = (select.negate_low ? 0x8000u : 0u) | (select.negate_high ? 0x80000000u : 0u);
  VGPU_LANE_LOOP
  for (int i = 0; i < kLanes; ++i)
    selected[i] = ((rows[i] >> low & 0xffff) | (rows[i] >> high & 0xffff) << 16) ^ flip;
}

void select_dwords(const PackedSelection& select, const u32* rows, u32* selected) {
  alignas(64) u32 original[2 * kLanes];
  if (rows == selected) rows = static_cast<u32*>(std::memcpy(original, rows, sizeof original));
  const bool negate[2] = {select.negate_low, select.negate_high};
  const u32* from[2] = {rows + select.low * kLanes, rows + select.high * kLanes};
  for (int d = 0; d < 2; ++d) {
    u32* to = selected + d * kLanes;
    if (negate[d]) change_signs(to, from[d], 0, 0x80000000u);
    else std::memcpy(to, from[d], kLanes * sizeof(u32));
  }
}

// v_fma_mix*: op_sel_hi says whether the source is f16, op_sel which half; neg_hi means abs.
void convert_mixed(const Inst& inst, int index, u32* rows) {
  const bool half = inst.op_sel_hi >> index & 1;
  const unsigned shift = (inst.op_sel >> index & 1) * 16;
  if (half)
    for (int i = 0; i < kLanes; ++i) rows[i] = bits_of(to_f32(f16{u16(rows[i] >> shift)}));
  const unsigned abs = inst.abs | inst.neg_hi;
  apply_sign(Shape::F32, inst.neg >> index & 1, abs >> index & 1, rows);
}

}  // namespace

int dpp_source_lane(unsigned control, int lane) {
  const int row = lane & ~15, in_row = lane & 15, amount = int(control & 15);
  const auto within = [row](int position) {
    return position >= 0 && position < 16 ? row + position : -1;
  };
  if (control < 0x100) return (lane & ~3) + int(control >> (2 * (lane & 3)) & 3);  // quad_perm
  switch (control & 0x1f0) {
    case 0x100: return within(in_row + amount);         // row_shl
    case 0x110: return within(in_row - amount);         // row_shr
    case 0x120: return row + ((in_row - amount) & 15);  // row_ror
    case 0x150: return row + amount;                    // row_newbcast
    default: break;
  }
  switch (control) {
    case 0x130: return lane + 1 < kLanes ? lane + 1 : -1;  // wave_shl
    case 0x134: return (lane + 1) & (kLanes - 1);          // wave_rol
    case 0x138: return lane - 1;                           // wave_shr
    case 0x13c: return (lane - 1) & (kLanes - 1);          // wave_ror
    case 0x140: return row + 15 - in_row;                  // row_mirror
    case 0x141: return (lane & ~7) + 7 - (lane & 7);       // row_half_mirror
    case 0x142: return row - 1;                            // row_bcast:15, into the next row
    case 0x143: return lane >= 32 ? 31 : -1;               // row_bcast:31, into the upper rows
    default: return -1;
  }
}

u64 apply_dpp(const Dpp& dpp, u64 exec, u32* rows, int dwords) {
  u32 original[2 * kLanes];
  std::memcpy(original, rows, size_t(dwords) * kLanes * sizeof(u32));
  u64 write = 0;
  for (int i = 0; i < kLanes; ++i) {
    const bool enabled = (dpp.row_mask >> (i / 16) & 1) && (dpp.bank_mask >> (i / 4 % 4) & 1);
    const int source = dpp_source_lane(dpp.ctrl, i);
    const bool valid = source >= 0 && (dpp.fetch_inactive || lane_bit(exec, source));
    for (int d = 0; d < dwords; ++d)
      rows[d * kLanes + i] = valid ? original[d * kLanes + source] : 0;
    if (enabled && (valid || dpp.bound_ctrl)) write |= 1ull << i;
  }
  return write;
}

PackedSelection packed_selection(const Inst& inst, int index, Shape shape) {
  const auto bit = [index](unsigned field) { return (field >> index & 1) != 0; };
  // v_dot2c and v_pk_fmac, which are no VOP3P, take their registers as they are.
  if (!is_packed(shape) || inst.format != Format::VOP3P) return {};
  const bool negates = shape != Shape::PackedB16;
  return {bit(inst.op_sel), bit(inst.op_sel_hi), negates && bit(inst.neg),
          negates && bit(inst.neg_hi)};
}

const u32* select_packed(const Inst& inst, int index, Shape shape, const u32* rows, u32* selected) {
  const PackedSelection select = packed_selection(inst, index, shape);
  if (select.is_default()) return rows;
  if (shape == Shape::PackedF32) select_dwords(select, rows, selected);
  else select_halves(select, rows, selected);
  return selected;
}

const u32* select_parts(const Sdwa& sdwa, int index, const u32* rows, u32* selected) {
  const Part part(sdwa.src_sel[index]);
  if (part.bits == 32) return rows;
  const unsigned up = 32 - part.bits - part.shift, down = 32 - part.bits;
  if (sdwa.sext[index]) {
    VGPU_LANE_LOOP
    for (int i = 0; i < kLanes; ++i) selected[i] = u32(i32(rows[i] << up) >> down);
  } else {
    VGPU_LANE_LOOP
    for (int i = 0; i < kLanes; ++i) selected[i] = rows[i] << up >> down;
  }
  return selected;
}

void modify_source(const Inst& inst, int index, Shape shape, u32* rows) {
  if (inst.modifier == Modifier::Sdwa && index < 2) select_parts(inst.sdwa, index, rows, rows);
  if (shape == Shape::Mixed) return convert_mixed(inst, index, rows);
  if (is_packed(shape) && inst.format == Format::VOP3P) {
    select_packed(inst, index, shape, rows, rows);
    return;
  }
  if (is_half_wide(shape) && inst.format == Format::VOP3 && (inst.op_sel >> index & 1))
    for (int i = 0; i < kLanes; ++i) rows[i] >>= 16;
  const bool neg = inst.neg >> index & 1, abs = inst.abs >> index & 1;
  if (neg || abs) apply_sign(shape, neg, abs, rows);
}

void flush_denormals(Shape shape, u32* rows) {
  each_float(shape, rows, [](auto x) { return flushed(x); });
}

void scale_result(Shape shape, int omod, u32* rows) {
  constexpr i32 exponents[] = {0, 1, 2, -1};
  const i32 n = exponents[omod & 3];
  each_float(shape, rows, [n](auto x) {
    using F = decltype(x);
    if (is_zero(x)) return from_bits<F>(0);  // output modifiers lose the sign of zero
    if constexpr (__is_same(F, f16)) {
      return to_f16(to_f32(x) * (n == 2 ? 4.0f : n == 1 ? 2.0f : 0.5f));
    } else {
      return F(x * (n == 2 ? F(4) : n == 1 ? F(2) : F(0.5)));
    }
  });
}

void clamp_result(Shape shape, bool nan_to_zero, u32* rows) {
  each_float(shape, rows, [nan_to_zero](auto x) {
    using F = decltype(x);
    if (is_nan(x)) return nan_to_zero ? from_bits<F>(0) : x;
    if (is_negative(x)) return from_bits<F>(0);
    return magnitude(x) > FloatFormat<F>::one ? from_bits<F>(FloatFormat<F>::one) : x;
  });
}

void place_sdwa(const Sdwa& sdwa, const u32* old, u32* rows) {
  const Part part(sdwa.dst_sel);
  if (part.bits == 32) return;
  const unsigned bits = part.bits, shift = part.shift;
  const u32 mask = ((1u << bits) - 1) << shift;
  for (int i = 0; i < kLanes; ++i) {
    const u32 value = rows[i] << shift & mask;
    const bool negative = rows[i] >> (bits - 1) & 1;
    const u32 above = ~(mask | (mask - 1)) & (negative ? ~0u : 0u);
    const u32 rest = sdwa.dst_unused == 2 ? old[i] & ~mask : sdwa.dst_unused == 1 ? above : 0u;
    rows[i] = value | rest;
  }
}

void place_half(bool high, const u32* old, u32* rows) {
  for (int i = 0; i < kLanes; ++i)
    rows[i] =
        high ? rows[i] << 16 | (old[i] & 0xffff) : (rows[i] & 0xffff) | (old[i] & 0xffff0000u);
}

void place_byte(int byte, const u32* old, u32* rows) {
  const u32 mask = 0xffu << (8 * byte);
  for (int i = 0; i < kLanes; ++i) rows[i] = (rows[i] << (8 * byte) & mask) | (old[i] & ~mask);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
