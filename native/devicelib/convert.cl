// Conversions that round towards negative (rtn), positive (rtp) and zero (rtz).
// The library that Debian ships ends before these were added to ocml.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define CONST __attribute__((const))

// The neighbouring value below or above, by counting in the bit pattern.
#define NEIGHBOURS(T, Bits)                                          \
  static T below_##T(T x) {                                          \
    const Bits one = 1, sign = one << (sizeof(T) * 8 - 1);           \
    const Bits b = __builtin_astype(x, Bits);                        \
    return x == 0 ? __builtin_astype((Bits)(sign | one), T)          \
           : x > 0 ? __builtin_astype((Bits)(b - 1), T)              \
                   : __builtin_astype((Bits)(b + 1), T);             \
  }                                                                  \
  static T above_##T(T x) { return -below_##T(-x); }
NEIGHBOURS(half, ushort)
NEIGHBOURS(float, uint)

// Round to nearest first; where that crossed the exact value, step back.
#define NARROW(To, to, From, from)                                                    \
  CONST To __ocml_cvtrtn_##to##_##from(From x) {                                      \
    const To near = (To)x;                                                            \
    return (From)near > x ? below_##To(near) : near;                                  \
  }                                                                                   \
  CONST To __ocml_cvtrtp_##to##_##from(From x) {                                      \
    const To near = (To)x;                                                            \
    return (From)near < x ? above_##To(near) : near;                                  \
  }                                                                                   \
  CONST To __ocml_cvtrtz_##to##_##from(From x) {                                      \
    return x > 0 ? __ocml_cvtrtn_##to##_##from(x) : __ocml_cvtrtp_##to##_##from(x);   \
  }
NARROW(float, f32, double, f64)
NARROW(half, f16, float, f32)

// Every 32-bit integer is exact in double precision.
#define FROM_32(From, from)                                                                      \
  CONST float __ocml_cvtrtn_f32_##from(From x) { return __ocml_cvtrtn_f32_f64((double)x); }      \
  CONST float __ocml_cvtrtp_f32_##from(From x) { return __ocml_cvtrtp_f32_f64((double)x); }      \
  CONST float __ocml_cvtrtz_f32_##from(From x) { return __ocml_cvtrtz_f32_f64((double)x); }
FROM_32(int, s32)
FROM_32(uint, u32)

// A 64-bit magnitude cut to the mantissa is exact; one more in the last place is the value above.
#define MAGNITUDE(To, Bits, mantissa)                                                 \
  static To magnitude_##To(ulong x, bool up) {                                        \
    const int excess = 64 - mantissa - (x ? __builtin_clzl(x) : 64);                  \
    const ulong cut = excess > 0 ? x >> excess << excess : x;                         \
    const To exact = (To)cut;                                                         \
    return up && cut != x ? __builtin_astype(__builtin_astype(exact, Bits) + 1, To) : exact; \
  }
MAGNITUDE(float, uint, 24)
MAGNITUDE(double, ulong, 53)

#define FROM_64(To, to)                                                                          \
  CONST To __ocml_cvtrtn_##to##_u64(ulong x) { return magnitude_##To(x, false); }                \
  CONST To __ocml_cvtrtp_##to##_u64(ulong x) { return magnitude_##To(x, true); }                 \
  CONST To __ocml_cvtrtz_##to##_u64(ulong x) { return magnitude_##To(x, false); }                \
  CONST To __ocml_cvtrtn_##to##_s64(long x) {                                                    \
    return x < 0 ? -magnitude_##To(-(ulong)x, true) : magnitude_##To(x, false);                  \
  }                                                                                              \
  CONST To __ocml_cvtrtp_##to##_s64(long x) {                                                    \
    return x < 0 ? -magnitude_##To(-(ulong)x, false) : magnitude_##To(x, true);                  \
  }                                                                                              \
  CONST To __ocml_cvtrtz_##to##_s64(long x) {                                                    \
    return x < 0 ? -magnitude_##To(-(ulong)x, false) : magnitude_##To(x, false);                 \
  }
FROM_64(float, f32)
FROM_64(double, f64)
