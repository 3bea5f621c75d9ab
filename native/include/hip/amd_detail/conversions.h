// Conversions with a stated rounding, and bit casts between numbers of one size.
#pragma once

#include <hip/amd_detail/device_library.h>

// Floating point to integer: round to an integral value first, then convert.
#define __HIP_FLOAT_TO_INTEGER(name, Float, Integer)                                             \
  __HIP_DEVICE__ Integer name##_rd(Float x) { return (Integer)__builtin_elementwise_floor(x); }  \
  __HIP_DEVICE__ Integer name##_rn(Float x) { return (Integer)__builtin_elementwise_rint(x); }   \
  __HIP_DEVICE__ Integer name##_ru(Float x) { return (Integer)__builtin_elementwise_ceil(x); }   \
  __HIP_DEVICE__ Integer name##_rz(Float x) { return (Integer)__builtin_elementwise_trunc(x); }
__HIP_FLOAT_TO_INTEGER(__float2int, float, int)
__HIP_FLOAT_TO_INTEGER(__float2uint, float, unsigned int)
__HIP_FLOAT_TO_INTEGER(__float2ll, float, long long)
__HIP_FLOAT_TO_INTEGER(__float2ull, float, unsigned long long)
__HIP_FLOAT_TO_INTEGER(__double2int, double, int)
__HIP_FLOAT_TO_INTEGER(__double2uint, double, unsigned int)
__HIP_FLOAT_TO_INTEGER(__double2ll, double, long long)
__HIP_FLOAT_TO_INTEGER(__double2ull, double, unsigned long long)
#undef __HIP_FLOAT_TO_INTEGER

// To a narrower floating point type: the hardware rounds to nearest, the library the other ways.
#define __HIP_TO_FLOAT(name, Float, to, Source, from)                             \
  __HIP_DEVICE__ Float name##_rd(Source x) { return __ocml_cvtrtn_##to##_##from(x); } \
  __HIP_DEVICE__ Float name##_rn(Source x) { return (Float)x; }                       \
  __HIP_DEVICE__ Float name##_ru(Source x) { return __ocml_cvtrtp_##to##_##from(x); } \
  __HIP_DEVICE__ Float name##_rz(Source x) { return __ocml_cvtrtz_##to##_##from(x); }
__HIP_TO_FLOAT(__double2float, float, f32, double, f64)
__HIP_TO_FLOAT(__int2float, float, f32, int, s32)
__HIP_TO_FLOAT(__uint2float, float, f32, unsigned int, u32)
__HIP_TO_FLOAT(__ll2float, float, f32, long long, s64)
__HIP_TO_FLOAT(__ull2float, float, f32, unsigned long long, u64)
__HIP_TO_FLOAT(__ll2double, double, f64, long long, s64)
__HIP_TO_FLOAT(__ull2double, double, f64, unsigned long long, u64)
#undef __HIP_TO_FLOAT
__HIP_DEVICE__ double __int2double_rn(int x) { return x; }
__HIP_DEVICE__ double __uint2double_rn(unsigned int x) { return x; }

__HIP_DEVICE__ int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__HIP_DEVICE__ unsigned int __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned int, x);
}
__HIP_DEVICE__ float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__HIP_DEVICE__ float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__HIP_DEVICE__ long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
__HIP_DEVICE__ double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__HIP_DEVICE__ int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
__HIP_DEVICE__ int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__HIP_DEVICE__ double __hiloint2double(int hi, int lo) {
  return __longlong_as_double(static_cast<long long>(hi) << 32 | static_cast<unsigned int>(lo));
}
