// The older bfloat16 type of HIP, with a public bit pattern.
#pragma once

#include <hip/amd_detail/host_defines.h>
#include <stdint.h>

#ifdef __cplusplus
#include <hip/amd_detail/bfloat16_types.h>

#include <ostream>

struct hip_bfloat16 {
  uint16_t data;

  enum truncate_t { truncate };

  hip_bfloat16() = default;
  explicit __HOST_DEVICE__ hip_bfloat16(float value)
      : data(__bfloat16_as_ushort(__hip_bfloat16(value))) {}
  // Without rounding: the high half of the bit pattern.
  explicit __HOST_DEVICE__ hip_bfloat16(float value, truncate_t) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    const bool lost_nan = !(~bits & 0x7f800000) && (bits & 0xffff) && !(bits & 0x7f0000);
    data = (bits >> 16) | (lost_nan ? 1 : 0);
  }
  static __HOST_DEVICE__ hip_bfloat16 round_to_bfloat16(float value) { return hip_bfloat16(value); }
  static __HOST_DEVICE__ hip_bfloat16 round_to_bfloat16(float value, truncate_t) {
    return hip_bfloat16(value, truncate);
  }
  __HOST_DEVICE__ hip_bfloat16& operator=(float value) {
    return *this = hip_bfloat16(value);
  }
  __HOST_DEVICE__ operator float() const { return __ushort_as_bfloat16(data); }
  explicit __HOST_DEVICE__ operator bool() const { return data & 0x7fff; }
};

static inline std::ostream& operator<<(std::ostream& out, hip_bfloat16 v) {
  return out << static_cast<float>(v);
}

#define __HIP_OLD_BFLOAT16_ARITHMETIC(op)                                                 \
  static __HOST_DEVICE__ hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) {       \
    return hip_bfloat16(static_cast<float>(a) op static_cast<float>(b));                  \
  }                                                                                       \
  static __HOST_DEVICE__ hip_bfloat16& operator op##=(hip_bfloat16& a, hip_bfloat16 b) {  \
    return a = a op b;                                                                    \
  }
#define __HIP_OLD_BFLOAT16_COMPARISON(op)                                                 \
  static __HOST_DEVICE__ bool operator op(hip_bfloat16 a, hip_bfloat16 b) {               \
    return static_cast<float>(a) op static_cast<float>(b);                                \
  }
__HIP_OLD_BFLOAT16_ARITHMETIC(+)
__HIP_OLD_BFLOAT16_ARITHMETIC(-)
__HIP_OLD_BFLOAT16_ARITHMETIC(*)
__HIP_OLD_BFLOAT16_ARITHMETIC(/)
__HIP_OLD_BFLOAT16_COMPARISON(==)
__HIP_OLD_BFLOAT16_COMPARISON(!=)
__HIP_OLD_BFLOAT16_COMPARISON(<)
__HIP_OLD_BFLOAT16_COMPARISON(<=)
__HIP_OLD_BFLOAT16_COMPARISON(>)
__HIP_OLD_BFLOAT16_COMPARISON(>=)
#undef __HIP_OLD_BFLOAT16_ARITHMETIC
#undef __HIP_OLD_BFLOAT16_COMPARISON

static __HOST_DEVICE__ hip_bfloat16 operator+(hip_bfloat16 v) { return v; }
static __HOST_DEVICE__ hip_bfloat16 operator-(hip_bfloat16 v) {
  v.data ^= 0x8000;
  return v;
}
static __HOST_DEVICE__ hip_bfloat16& operator++(hip_bfloat16& v) { return v += hip_bfloat16(1.0f); }
static __HOST_DEVICE__ hip_bfloat16& operator--(hip_bfloat16& v) { return v -= hip_bfloat16(1.0f); }
static __HOST_DEVICE__ hip_bfloat16 operator++(hip_bfloat16& v, int) {
  const hip_bfloat16 before = v;
  ++v;
  return before;
}
static __HOST_DEVICE__ hip_bfloat16 operator--(hip_bfloat16& v, int) {
  const hip_bfloat16 before = v;
  --v;
  return before;
}

namespace std {
static __HOST_DEVICE__ bool isinf(hip_bfloat16 v) { return (v.data & 0x7fff) == 0x7f80; }
static __HOST_DEVICE__ bool isnan(hip_bfloat16 v) { return (v.data & 0x7fff) > 0x7f80; }
static __HOST_DEVICE__ bool iszero(hip_bfloat16 v) { return (v.data & 0x7fff) == 0; }
}  // namespace std
#else
typedef struct {
  uint16_t data;
} hip_bfloat16;
#endif
