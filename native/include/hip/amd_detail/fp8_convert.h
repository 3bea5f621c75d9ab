// Conversions between 8-bit and wider floating point.
#pragma once

#include <hip/amd_detail/host_defines.h>
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_vector_types.h>

#include <type_traits>

enum __hip_fp8_interpretation_t {
  __HIP_E4M3 = 0,
  __HIP_E5M2 = 1,
  __HIP_E4M3_FNUZ = 2,
  __HIP_E5M2_FNUZ = 3
};
enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;

namespace hip_impl {

// FNUZ: finite values and one NaN (0x80), no infinity, no negative zero, bias one higher.
struct fp8_format {
  int mantissa_bits, bias;
  unsigned int largest;       // the code of the largest finite value
  unsigned int overflow;      // the code beyond it, without saturation
  unsigned int not_a_number;
  bool fnuz;
};
static __HOST_DEVICE__ fp8_format format_of(__hip_fp8_interpretation_t kind) {
  switch (kind) {
    case __HIP_E4M3: return {3, 7, 0x7e, 0x7f, 0x7f, false};
    case __HIP_E5M2: return {2, 15, 0x7b, 0x7c, 0x7f, false};
    case __HIP_E4M3_FNUZ: return {3, 8, 0x7f, 0x80, 0x80, true};
    case __HIP_E5M2_FNUZ: return {2, 16, 0x7f, 0x80, 0x80, true};
  }
  return {};
}

static __HOST_DEVICE__ float power_of_two(int exponent) {
  const unsigned int bits = static_cast<unsigned int>(127 + exponent) << 23;
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

static __HOST_DEVICE__ __hip_fp8_storage_t float_to_fp8(float value, bool saturate,
                                                        __hip_fp8_interpretation_t kind) {
  const fp8_format format = format_of(kind);
  unsigned int bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const unsigned int sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return format.not_a_number | (format.fnuz ? 0 : sign);
  unsigned int code = 0x100;  // infinity is beyond the largest value
  if (magnitude < 0x7f800000) {
    // In steps of the last place: rint rounds to nearest even, and a carry moves to the exponent.
    int exponent = static_cast<int>(magnitude >> 23) - 127;
    if (exponent < 1 - format.bias) exponent = 1 - format.bias;
    const float steps = __builtin_fabsf(value) * power_of_two(format.mantissa_bits - exponent);
    code = static_cast<unsigned int>(__builtin_rintf(steps < 1024.0f ? steps : 1024.0f)) +
           (static_cast<unsigned int>(exponent + format.bias - 1) << format.mantissa_bits);
  }
  if (code > format.largest) {
    if (saturate) return sign | format.largest;
    return format.fnuz ? format.overflow : sign | format.overflow;
  }
  return code == 0 && format.fnuz ? 0 : sign | code;
}

static __HOST_DEVICE__ float fp8_to_float(__hip_fp8_storage_t code,
                                          __hip_fp8_interpretation_t kind) {
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
  if (kind == __HIP_E4M3_FNUZ) return __builtin_amdgcn_cvt_f32_fp8(code, 0);
  if (kind == __HIP_E5M2_FNUZ) return __builtin_amdgcn_cvt_f32_bf8(code, 0);
#endif
  const fp8_format format = format_of(kind);
  const unsigned int magnitude = code & 0x7f;
  const float sign = code & 0x80 ? -1.0f : 1.0f;
  const bool nan = format.fnuz            ? code == format.not_a_number
                   : kind == __HIP_E4M3 ? magnitude == format.not_a_number
                                        : magnitude > format.overflow;
  if (nan) return __builtin_nanf("");
  if (kind == __HIP_E5M2 && magnitude == format.overflow) return sign * __builtin_inff();
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const int fraction = static_cast<int>(magnitude & ((1u << format.mantissa_bits) - 1));
  const int implied = exponent ? 1 << format.mantissa_bits : 0;
  return sign * static_cast<float>(implied + fraction) *
         power_of_two((exponent ? exponent : 1) - format.bias - format.mantissa_bits);
}

}  // namespace hip_impl

static __HOST_DEVICE__ __hip_fp8_storage_t __hip_cvt_float_to_fp8(
    float value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
  // The hardware rounds to nearest even and knows FNUZ; it does not saturate.
  if (kind == __HIP_E4M3_FNUZ || kind == __HIP_E5M2_FNUZ) {
    const float limit = kind == __HIP_E4M3_FNUZ ? 240.0f : 57344.0f;
    if (saturation == __HIP_SATFINITE && __builtin_isfinite(value))
      value = __builtin_amdgcn_fmed3f(value, limit, -limit);
    return kind == __HIP_E4M3_FNUZ ? __builtin_amdgcn_cvt_pk_fp8_f32(value, value, 0, false)
                                   : __builtin_amdgcn_cvt_pk_bf8_f32(value, value, 0, false);
  }
#endif
  return hip_impl::float_to_fp8(value, saturation == __HIP_SATFINITE, kind);
}
static __HOST_DEVICE__ __hip_fp8_storage_t __hip_cvt_double_to_fp8(
    double value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(static_cast<float>(value), saturation, kind);
}
static __HOST_DEVICE__ __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(
    __half_raw value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(static_cast<float>(value.data), saturation, kind);
}
static __HOST_DEVICE__ __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(
    __hip_bfloat16_raw value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(__bfloat162float(value), saturation, kind);
}
static __HOST_DEVICE__ __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(
    float2 value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(value.x, saturation, kind) |
         __hip_cvt_float_to_fp8(value.y, saturation, kind) << 8;
}
static __HOST_DEVICE__ __hip_fp8x2_storage_t __hip_cvt_double2_to_fp8x2(
    double2 value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float2_to_fp8x2(float2(value.x, value.y), saturation, kind);
}
static __HOST_DEVICE__ __hip_fp8x2_storage_t __hip_cvt_halfraw2_to_fp8x2(
    __half2_raw value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float2_to_fp8x2(__half22float2(value), saturation, kind);
}
static __HOST_DEVICE__ __hip_fp8x2_storage_t __hip_cvt_bfloat16raw2_to_fp8x2(
    __hip_bfloat162_raw value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float2_to_fp8x2(__bfloat1622float2(value), saturation, kind);
}
static __HOST_DEVICE__ __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t code,
                                                           __hip_fp8_interpretation_t kind) {
  return __float2half(hip_impl::fp8_to_float(code, kind));
}
static __HOST_DEVICE__ __half2_raw __hip_cvt_fp8x2_to_halfraw2(__hip_fp8x2_storage_t codes,
                                                               __hip_fp8_interpretation_t kind) {
  return __floats2half2_rn(hip_impl::fp8_to_float(codes & 0xff, kind),
                           hip_impl::fp8_to_float(codes >> 8, kind));
}
