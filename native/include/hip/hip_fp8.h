// 8-bit floating point: E4M3 and E5M2, as OCP defines them and as CDNA 3 has them (FNUZ).
#pragma once

#include <hip/amd_detail/fp8_convert.h>

// Each type holds 1, 2 or 4 values; the first stands in the lowest byte.
#define __HIP_FP8_TYPES(suffix, interpretation)                                                    \
  struct __hip_fp8_##suffix {                                                                      \
    __hip_fp8_storage_t __x;                                                                       \
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;                    \
    static constexpr __hip_fp8_interpretation_t __default_interpret = interpretation;              \
    __hip_fp8_##suffix() = default;                                                                \
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value>::type* = nullptr>  \
    __HOST_DEVICE__ __hip_fp8_##suffix(T value)                                                    \
        : __x(__hip_cvt_float_to_fp8(static_cast<float>(value), __HIP_SATFINITE,                   \
                                     interpretation)) {}                                           \
    __HOST_DEVICE__ __hip_fp8_##suffix(__half value) : __hip_fp8_##suffix(__half2float(value)) {}  \
    __HOST_DEVICE__ __hip_fp8_##suffix(__hip_bfloat16 value)                                       \
        : __hip_fp8_##suffix(__bfloat162float(value)) {}                                           \
    __HOST_DEVICE__ operator float() const {                                                       \
      return hip_impl::fp8_to_float(__x, interpretation);                                          \
    }                                                                                              \
    __HOST_DEVICE__ operator __half() const { return __float2half(static_cast<float>(*this)); }    \
    __HOST_DEVICE__ operator __hip_bfloat16() const {                                              \
      return __hip_bfloat16(static_cast<float>(*this));                                            \
    }                                                                                              \
    __HOST_DEVICE__ operator bool() const { return static_cast<float>(*this) != 0.0f; }            \
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value &&                  \
                                                  !std::is_same<T, float>::value &&                \
                                                  !std::is_same<T, bool>::value>::type* = nullptr> \
    __HOST_DEVICE__ operator T() const {                                                           \
      return static_cast<T>(static_cast<float>(*this));                                            \
    }                                                                                              \
  };                                                                                               \
  struct __hip_fp8x2_##suffix {                                                                    \
    __hip_fp8x2_storage_t __x;                                                                     \
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;                    \
    static constexpr __hip_fp8_interpretation_t __default_interpret = interpretation;              \
    __hip_fp8x2_##suffix() = default;                                                              \
    __HOST_DEVICE__ __hip_fp8x2_##suffix(float2 value)                                             \
        : __x(__hip_cvt_float2_to_fp8x2(value, __HIP_SATFINITE, interpretation)) {}                \
    __HOST_DEVICE__ __hip_fp8x2_##suffix(double2 value)                                            \
        : __x(__hip_cvt_double2_to_fp8x2(value, __HIP_SATFINITE, interpretation)) {}               \
    __HOST_DEVICE__ __hip_fp8x2_##suffix(__half2 value)                                            \
        : __hip_fp8x2_##suffix(__half22float2(value)) {}                                           \
    __HOST_DEVICE__ __hip_fp8x2_##suffix(__hip_bfloat162 value)                                    \
        : __hip_fp8x2_##suffix(__bfloat1622float2(value)) {}                                       \
    __HOST_DEVICE__ operator float2() const {                                                      \
      return float2(hip_impl::fp8_to_float(__x & 0xff, interpretation),                            \
                    hip_impl::fp8_to_float(__x >> 8, interpretation));                             \
    }                                                                                              \
    __HOST_DEVICE__ operator __half2() const { return __float22half2_rn(*this); }                  \
  };                                                                                               \
  struct __hip_fp8x4_##suffix {                                                                    \
    __hip_fp8x4_storage_t __x;                                                                     \
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;                    \
    static constexpr __hip_fp8_interpretation_t __default_interpret = interpretation;              \
    __hip_fp8x4_##suffix() = default;                                                              \
    __HOST_DEVICE__ __hip_fp8x4_##suffix(__hip_fp8x2_##suffix low, __hip_fp8x2_##suffix high)      \
        : __x(low.__x | static_cast<unsigned int>(high.__x) << 16) {}                              \
    __HOST_DEVICE__ __hip_fp8x4_##suffix(float4 v)                                                 \
        : __hip_fp8x4_##suffix(__hip_fp8x2_##suffix(float2(v.x, v.y)),                             \
                               __hip_fp8x2_##suffix(float2(v.z, v.w))) {}                          \
    __HOST_DEVICE__ __hip_fp8x4_##suffix(double4 v)                                                \
        : __hip_fp8x4_##suffix(__hip_fp8x2_##suffix(double2(v.x, v.y)),                            \
                               __hip_fp8x2_##suffix(double2(v.z, v.w))) {}                         \
    __HOST_DEVICE__ __hip_fp8x4_##suffix(__half2 low, __half2 high)                                \
        : __hip_fp8x4_##suffix(__hip_fp8x2_##suffix(low), __hip_fp8x2_##suffix(high)) {}           \
    __HOST_DEVICE__ __hip_fp8x4_##suffix(__hip_bfloat162 low, __hip_bfloat162 high)                \
        : __hip_fp8x4_##suffix(__hip_fp8x2_##suffix(low), __hip_fp8x2_##suffix(high)) {}           \
    __HOST_DEVICE__ operator float4() const {                                                      \
      return float4(hip_impl::fp8_to_float(__x & 0xff, interpretation),                            \
                    hip_impl::fp8_to_float(__x >> 8 & 0xff, interpretation),                       \
                    hip_impl::fp8_to_float(__x >> 16 & 0xff, interpretation),                      \
                    hip_impl::fp8_to_float(__x >> 24, interpretation));                            \
    }                                                                                              \
  };
__HIP_FP8_TYPES(e4m3, __HIP_E4M3)
__HIP_FP8_TYPES(e5m2, __HIP_E5M2)
__HIP_FP8_TYPES(e4m3_fnuz, __HIP_E4M3_FNUZ)
__HIP_FP8_TYPES(e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef __HIP_FP8_TYPES
