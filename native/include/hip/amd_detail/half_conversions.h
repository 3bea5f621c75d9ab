// Conversions to and from half precision, and access to the halves of a pair. Host and device.
#pragma once

#include <hip/amd_detail/half_types.h>

static __HOST_DEVICE__ __half2 make_half2(__half x, __half y) { return __half2(x, y); }
static __HOST_DEVICE__ __half __low2half(__half2 v) { return v.x; }
static __HOST_DEVICE__ __half __high2half(__half2 v) { return v.y; }
static __HOST_DEVICE__ __half2 __half2half2(__half v) { return __half2(v, v); }
static __HOST_DEVICE__ __half2 __halves2half2(__half low, __half high) {
  return __half2(low, high);
}
static __HOST_DEVICE__ __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
static __HOST_DEVICE__ __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
static __HOST_DEVICE__ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
static __HOST_DEVICE__ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
static __HOST_DEVICE__ __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }

static __HOST_DEVICE__ unsigned short __half_as_ushort(__half v) {
  return static_cast<__half_raw>(v).x;
}
static __HOST_DEVICE__ short __half_as_short(__half v) { return __half_as_ushort(v); }
static __HOST_DEVICE__ __half __ushort_as_half(unsigned short bits) {
  __half_raw raw;
  raw.x = bits;
  return raw;
}
static __HOST_DEVICE__ __half __short_as_half(short bits) { return __ushort_as_half(bits); }

static __HOST_DEVICE__ __half __hip_half(_Float16 value) {
  __half_raw raw;
  raw.data = value;
  return raw;
}
static __HOST_DEVICE__ float __half2float(__half v) { return static_cast<__half_raw>(v).data; }
static __HOST_DEVICE__ __half __float2half(float x) {
  return __hip_half(static_cast<_Float16>(x));
}
static __HOST_DEVICE__ __half __float2half_rn(float x) { return __float2half(x); }

// Round to nearest, then step back where that crossed the exact value.
static __HOST_DEVICE__ __half __float2half_rd(float x) {
  const __half near = __float2half(x);
  if (!(__half2float(near) > x)) return near;
  const unsigned short bits = __half_as_ushort(near);
  return __ushort_as_half(bits == 0 ? 0x8001 : bits & 0x8000 ? bits + 1 : bits - 1);
}
static __HOST_DEVICE__ __half __float2half_ru(float x) {
  return __ushort_as_half(__half_as_ushort(__float2half_rd(-x)) ^ 0x8000);
}
static __HOST_DEVICE__ __half __float2half_rz(float x) {
  return x > 0 ? __float2half_rd(x) : __float2half_ru(x);
}

static __HOST_DEVICE__ __half2 __float2half2_rn(float x) {
  return __half2(__float2half(x), __float2half(x));
}
static __HOST_DEVICE__ __half2 __floats2half2_rn(float x, float y) {
  return __half2(__float2half(x), __float2half(y));
}
static __HOST_DEVICE__ __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
static __HOST_DEVICE__ float __low2float(__half2 v) { return __half2float(v.x); }
static __HOST_DEVICE__ float __high2float(__half2 v) { return __half2float(v.y); }
static __HOST_DEVICE__ float2 __half22float2(__half2 v) {
  return make_float2(__half2float(v.x), __half2float(v.y));
}

#if __HIP_CLANG_ONLY__
// Every half is exact in single precision; 64-bit integers beyond its range become infinite.
#define __HIP_HALF_TO_INTEGER(name, T, mode, round)                              \
  static __HOST_DEVICE__ T __half2##name##_##mode(__half v) {                    \
    return (T)round(__half2float(v));                                            \
  }
#define __HIP_HALF_INTEGER(name, T)                                              \
  __HIP_HALF_TO_INTEGER(name, T, rn, __builtin_rintf)                            \
  __HIP_HALF_TO_INTEGER(name, T, rz, __builtin_truncf)                           \
  __HIP_HALF_TO_INTEGER(name, T, rd, __builtin_floorf)                           \
  __HIP_HALF_TO_INTEGER(name, T, ru, __builtin_ceilf)                            \
  static __HOST_DEVICE__ __half __##name##2half_rn(T x) {                        \
    return __hip_half((_Float16)x);                                              \
  }                                                                              \
  static __HOST_DEVICE__ __half __##name##2half_rz(T x) {                        \
    return __float2half_rz((float)x);                                            \
  }                                                                              \
  static __HOST_DEVICE__ __half __##name##2half_rd(T x) {                        \
    return __float2half_rd((float)x);                                            \
  }                                                                              \
  static __HOST_DEVICE__ __half __##name##2half_ru(T x) {                        \
    return __float2half_ru((float)x);                                            \
  }
__HIP_HALF_INTEGER(int, int)
__HIP_HALF_INTEGER(uint, unsigned int)
__HIP_HALF_INTEGER(short, short)
__HIP_HALF_INTEGER(ushort, unsigned short)
__HIP_HALF_INTEGER(ll, long long)
__HIP_HALF_INTEGER(ull, unsigned long long)
#undef __HIP_HALF_INTEGER
#undef __HIP_HALF_TO_INTEGER
#endif
