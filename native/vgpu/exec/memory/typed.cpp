// Typed buffer access: MTBUF, and the format instructions of MUBUF. Values are converted between
// the buffer's data format and 32-bit or (d16) 16-bit registers, one lane at a time.
#include "exec/memory/buffer.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

enum NumberFormat { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kFloat = 7 };

// Bits per component, the lowest first; indexed by the data format field.
struct Layout {
  uint8_t bits[4];
};
constexpr Layout kLayouts[16] = {
    {{0, 0, 0, 0}},     {{8, 0, 0, 0}},    {{16, 0, 0, 0}},    {{8, 8, 0, 0}},
    {{32, 0, 0, 0}},    {{16, 16, 0, 0}},  {{11, 11, 10, 0}},  {{10, 11, 11, 0}},
    {{2, 10, 10, 10}},  {{10, 10, 10, 2}}, {{8, 8, 8, 8}},     {{32, 32, 0, 0}},
    {{16, 16, 16, 16}}, {{32, 32, 32, 0}}, {{32, 32, 32, 32}}, {{0, 0, 0, 0}},
};

VGPU_INLINE uint32_t element_bytes(const Layout& layout) {
  uint32_t bits = 0;
  for (uint8_t b : layout.bits) bits += b;
  return bits / 8;
}

// An unsigned float with 5 exponent bits, as the 10 and 11 bit components are.
VGPU_INLINE f32 small_float(uint32_t v, int mantissa) {
  return to_f32(f16{u16(v << (10 - mantissa))});
}

VGPU_INLINE uint32_t float_bits_of_component(uint32_t raw, int bits) {
  if (bits == 32) return raw;
  if (bits == 16) return bits_of(to_f32(f16{u16(raw)}));
  return bits_of(small_float(raw, bits - 5));
}

// A component as the 32 bits a register receives.
VGPU_INLINE uint32_t to_register(uint32_t raw, int bits, int number) {
  int32_t value = int32_t(raw << (32 - bits)) >> (32 - bits);
  f64 top = f64((uint64_t(1) << bits) - 1), half = f64((uint64_t(1) << (bits - 1)) - 1);
  switch (number) {
    case kUnorm: return bits_of(f32(f64(raw) / top));
    case kSnorm: return bits_of(f32(value < -half ? -1.0 : f64(value) / half));
    case kUscaled: return bits_of(f32(raw));
    case kSscaled: return bits_of(f32(value));
    case kSint: return uint32_t(value);
    case kFloat: return float_bits_of_component(raw, bits);
    default: return raw;
  }
}

VGPU_INLINE f64 clamped(f64 x, f64 low, f64 high) { return !(x > low) ? low : x > high ? high : x; }

VGPU_INLINE uint32_t from_register(uint32_t v, int bits, int number) {
  f64 top = f64((uint64_t(1) << bits) - 1), half = f64((uint64_t(1) << (bits - 1)) - 1);
  f64 x = as_f32(v);
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  if (is_nan(as_f32(v))) x = 0;
  switch (number) {
    case kUnorm: return uint32_t(__builtin_rint(clamped(x, 0, 1) * top)) & mask;
    case kSnorm: return uint32_t(int64_t(__builtin_rint(clamped(x, -1, 1) * half))) & mask;
    case kUscaled: return uint32_t(clamped(x, 0, top)) & mask;
    case kSscaled: return uint32_t(int64_t(clamped(x, -half - 1, half))) & mask;
    case kFloat:
      if (bits == 32) return v;
      if (bits == 16) return to_f16(as_f32(v)).bits;
      return x < 0 ? 0 : u32(to_f16(as_f32(v)).bits) >> (15 - bits);
    default: return v & mask;
  }
}

VGPU_INLINE bool is_integer(int number) { return number == kUint || number == kSint; }

// The format of the instruction (MTBUF) or of the resource (MUBUF).
struct Format4 {
  Layout layout;
  int number;
  uint8_t select[4];  // 0 zero, 1 one, 4..7 component x..w

  VGPU_INLINE Format4(const Inst& i, const Buffer& buffer) {
    bool typed = i.format == Format::MTBUF;
    layout = kLayouts[typed ? i.dfmt & 15 : buffer.word3 >> 15 & 15];
    number = typed ? i.nfmt & 7 : int(buffer.word3 >> 12 & 7);
    for (int c = 0; c < 4; ++c) {
      uint8_t natural = layout.bits[c] ? uint8_t(4 + c) : c == 3 ? 1 : 0;
      select[c] = typed ? natural : uint8_t(buffer.word3 >> (c * 3) & 7);
    }
  }
};

VGPU_INLINE void unpack(const uint8_t* bytes, const Format4& format, uint32_t out[4]) {
  uint64_t words[2] = {0, 0};
  std::memcpy(words, bytes, element_bytes(format.layout));
  uint32_t parts[4] = {}, position = 0;
  for (int c = 0; c < 4 && format.layout.bits[c]; ++c) {
    uint64_t mask = (uint64_t(1) << format.layout.bits[c]) - 1;
    uint32_t raw = uint32_t(words[position / 64] >> position % 64 & mask);
    parts[c] = to_register(raw, format.layout.bits[c], format.number);
    position += format.layout.bits[c];
  }
  uint32_t one = is_integer(format.number) ? 1 : 0x3f800000;
  for (int c = 0; c < 4; ++c) {
    uint8_t from = format.select[c];
    out[c] = from >= 4 ? parts[from - 4] : from == 1 ? one : 0;
  }
}

VGPU_INLINE void pack(const uint32_t in[4], const Format4& format, uint8_t* bytes) {
  uint64_t words[2] = {0, 0};
  uint32_t position = 0;
  for (int c = 0; c < 4 && format.layout.bits[c]; ++c) {
    uint64_t raw = from_register(in[c], format.layout.bits[c], format.number);
    words[position / 64] |= raw << position % 64;
    position += format.layout.bits[c];
  }
  std::memcpy(bytes, words, element_bytes(format.layout));
}

// How d16 instructions hold a component: integers cut, everything else as f16.
VGPU_INLINE uint32_t narrow(uint32_t v, int number) {
  return is_integer(number) ? v & 0xffff : to_f16(as_f32(v)).bits;
}
VGPU_INLINE uint32_t widen(uint32_t h, int number) {
  if (number == kSint) return uint32_t(int16_t(h));
  return is_integer(number) ? h & 0xffff : bits_of(to_f32(f16{u16(h)}));
}

template <int Components, bool D16, bool High>
void load_format(Wave& w, const Inst& i) {
  Buffer buffer(w, i);
  Format4 format(i, buffer);
  uint32_t bytes = element_bytes(format.layout);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    uint8_t data[16];
    uint32_t v[4] = {};
    if (bytes && buffer.inside(l, 0, bytes)) {
      lane_read(w, i, l, buffer.address(l, 0), data, bytes);
      unpack(data, format, v);
    }
    for (int c = 0; c < Components; ++c) {
      uint32_t* row = w.row(i.dst, D16 ? c / 2 : c);
      if (!D16) row[l] = v[c];
      else if (High || c % 2) row[l] = (row[l] & 0xffff) | narrow(v[c], format.number) << 16;
      else row[l] = (row[l] & 0xffff0000) | narrow(v[c], format.number);
    }
  }
}

template <int Components, bool D16, bool High>
void store_format(Wave& w, const Inst& i) {
  Buffer buffer(w, i);
  Format4 format(i, buffer);
  uint32_t bytes = element_bytes(format.layout);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    uint32_t v[4] = {};
    for (int c = 0; c < Components; ++c) {
      uint32_t reg = w.row(i.src[1], D16 ? c / 2 : c)[l];
      v[c] = !D16 ? reg : widen(High || c % 2 ? reg >> 16 : reg & 0xffff, format.number);
    }
    uint8_t data[16];
    pack(v, format, data);
    if (bytes && buffer.inside(l, 0, bytes)) lane_write(w, i, l, buffer.address(l, 0), data, bytes);
  }
}

#define FORMATS(prefix)                                                    \
  {Op::prefix##_load_format_x, load_format<1, false, false>},              \
      {Op::prefix##_load_format_xy, load_format<2, false, false>},         \
      {Op::prefix##_load_format_xyz, load_format<3, false, false>},        \
      {Op::prefix##_load_format_xyzw, load_format<4, false, false>},       \
      {Op::prefix##_load_format_d16_x, load_format<1, true, false>},       \
      {Op::prefix##_load_format_d16_xy, load_format<2, true, false>},      \
      {Op::prefix##_load_format_d16_xyz, load_format<3, true, false>},     \
      {Op::prefix##_load_format_d16_xyzw, load_format<4, true, false>},    \
      {Op::prefix##_store_format_x, store_format<1, false, false>},        \
      {Op::prefix##_store_format_xy, store_format<2, false, false>},       \
      {Op::prefix##_store_format_xyz, store_format<3, false, false>},      \
      {Op::prefix##_store_format_xyzw, store_format<4, false, false>},     \
      {Op::prefix##_store_format_d16_x, store_format<1, true, false>},     \
      {Op::prefix##_store_format_d16_xy, store_format<2, true, false>},    \
      {Op::prefix##_store_format_d16_xyz, store_format<3, true, false>}, { \
    Op::prefix##_store_format_d16_xyzw, store_format<4, true, false>       \
  }

constexpr OpHandler kHandlers[] = {
    FORMATS(buffer),
    FORMATS(tbuffer),
    {Op::buffer_load_format_d16_hi_x, load_format<1, true, true>},
    {Op::buffer_store_format_d16_hi_x, store_format<1, true, true>},
};

}  // namespace

HandlerTable typed_memory_handlers() { return table_of(kHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
