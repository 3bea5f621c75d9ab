// Arithmetic, comparison and mathematics of half precision on both sides; shuffles and atomics on
// the device.
#pragma once

#include <hip/amd_detail/atomics.h>
#include <hip/amd_detail/half_conversions.h>
#include <hip/amd_detail/warp_functions.h>

#define __HIP_HALF__ static __HOST_DEVICE__

__HIP_HALF__ _Float16 __hip_f16(__half v) { return static_cast<__half_raw>(v).data; }

#define __HIP_HALF_BINARY(name, op)                                                              \
  __HIP_HALF__ __half __h##name(__half a, __half b) {                                          \
    return __hip_half(__hip_f16(a) op __hip_f16(b));                                             \
  }                                                                                              \
  __HIP_HALF__ __half2 __h##name##2(__half2 a, __half2 b) { return __half2(a.data op b.data); }
__HIP_HALF_BINARY(add, +)
__HIP_HALF_BINARY(sub, -)
__HIP_HALF_BINARY(mul, *)
#undef __HIP_HALF_BINARY
__HIP_HALF__ __half __hdiv(__half a, __half b) {
  return __hip_half(__hip_f16(a) / __hip_f16(b));
}
__HIP_HALF__ __half2 __h2div(__half2 a, __half2 b) { return __half2(a.data / b.data); }
__HIP_HALF__ __half __hneg(__half v) { return __hip_half(-__hip_f16(v)); }
__HIP_HALF__ __half2 __hneg2(__half2 v) { return __half2(-v.data); }
__HIP_HALF__ __half __habs(__half v) {
  return __ushort_as_half(__half_as_ushort(v) & 0x7fff);
}
__HIP_HALF__ __half2 __habs2(__half2 v) { return __half2(__habs(v.x), __habs(v.y)); }
__HIP_HALF__ __half __hfma(__half a, __half b, __half c) {
#if __HIP_ON_DEVICE__
  return __hip_half(__ocml_fma_f16(__hip_f16(a), __hip_f16(b), __hip_f16(c)));
#else
  return __hip_half(static_cast<_Float16>(
      __builtin_fma(__half2float(a), __half2float(b), __half2float(c))));
#endif
}
__HIP_HALF__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
#if __HIP_ON_DEVICE__
  return __half2(__ocml_fma_2f16(a.data, b.data, c.data));
#else
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}

// Saturation is to [0, 1].
__HIP_HALF__ __half __clamp_01(__half v) {
  const _Float16 x = __hip_f16(v);
  return __hip_half(x < (_Float16)0 || x != x ? (_Float16)0 : x > (_Float16)1 ? (_Float16)1 : x);
}
__HIP_HALF__ __half2 __hip_clamp2_01(__half2 v) {
  return __half2(__clamp_01(v.x), __clamp_01(v.y));
}
__HIP_HALF__ __half __hadd_sat(__half a, __half b) { return __clamp_01(__hadd(a, b)); }
__HIP_HALF__ __half __hsub_sat(__half a, __half b) { return __clamp_01(__hsub(a, b)); }
__HIP_HALF__ __half __hmul_sat(__half a, __half b) { return __clamp_01(__hmul(a, b)); }
__HIP_HALF__ __half __hfma_sat(__half a, __half b, __half c) {
  return __clamp_01(__hfma(a, b, c));
}
__HIP_HALF__ __half2 __hadd2_sat(__half2 a, __half2 b) { return __hip_clamp2_01(__hadd2(a, b)); }
__HIP_HALF__ __half2 __hsub2_sat(__half2 a, __half2 b) { return __hip_clamp2_01(__hsub2(a, b)); }
__HIP_HALF__ __half2 __hmul2_sat(__half2 a, __half2 b) { return __hip_clamp2_01(__hmul2(a, b)); }
__HIP_HALF__ __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return __hip_clamp2_01(__hfma2(a, b, c));
}

__HIP_HALF__ __half2 __hip_truth2(bool x, bool y) {
  return __half2(_Float16_2{static_cast<_Float16>(x), static_cast<_Float16>(y)});
}

// Comparisons: plain ones are false with a NaN, those with u are true. On pairs, the 2 forms give
// 1.0 or 0.0 per element and the b forms whether both hold.
#define __HIP_HALF_COMPARE(name, op, inverse)                                                     \
  __HIP_HALF__ bool __h##name(__half a, __half b) { return __hip_f16(a) op __hip_f16(b); }      \
  __HIP_HALF__ bool __h##name##u(__half a, __half b) {                                          \
    return !(__hip_f16(a) inverse __hip_f16(b));                                                  \
  }                                                                                               \
  __HIP_HALF__ __half2 __h##name##2(__half2 a, __half2 b) {                                     \
    return __hip_truth2(__h##name(a.x, b.x), __h##name(a.y, b.y));                                \
  }                                                                                               \
  __HIP_HALF__ __half2 __h##name##u2(__half2 a, __half2 b) {                                    \
    return __hip_truth2(__h##name##u(a.x, b.x), __h##name##u(a.y, b.y));                          \
  }                                                                                               \
  __HIP_HALF__ bool __hb##name##2(__half2 a, __half2 b) {                                       \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                            \
  }                                                                                               \
  __HIP_HALF__ bool __hb##name##u2(__half2 a, __half2 b) {                                      \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                      \
  }
__HIP_HALF_COMPARE(eq, ==, !=)
__HIP_HALF_COMPARE(ne, !=, ==)
__HIP_HALF_COMPARE(lt, <, >=)
__HIP_HALF_COMPARE(le, <=, >)
__HIP_HALF_COMPARE(gt, >, <=)
__HIP_HALF_COMPARE(ge, >=, <)
#undef __HIP_HALF_COMPARE

__HIP_HALF__ bool __hisnan(__half v) { return __hip_f16(v) != __hip_f16(v); }
__HIP_HALF__ int __hisinf(__half v) { return (__half_as_ushort(v) & 0x7fff) == 0x7c00; }
__HIP_HALF__ __half2 __hisnan2(__half2 v) { return __hip_truth2(__hisnan(v.x), __hisnan(v.y)); }
__HIP_HALF__ __half2 __hisinf2(__half2 v) { return __hip_truth2(__hisinf(v.x), __hisinf(v.y)); }

// The number wins over a NaN, except in the _nan forms.
__HIP_HALF__ __half __hmax(__half a, __half b) {
  return __float2half(__builtin_fmaxf(__half2float(a), __half2float(b)));
}
__HIP_HALF__ __half __hmin(__half a, __half b) {
  return __float2half(__builtin_fminf(__half2float(a), __half2float(b)));
}
__HIP_HALF__ __half __hmax_nan(__half a, __half b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
__HIP_HALF__ __half __hmin_nan(__half a, __half b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
__HIP_HALF__ __half2 __hmax2(__half2 a, __half2 b) {
  return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__HIP_HALF__ __half2 __hmin2(__half2 a, __half2 b) {
  return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

// The device has its own half precision functions; the host computes in single precision.
#if __HIP_ON_DEVICE__
#define __HIP_HALF_MATH(name, host)                                                          \
  __HIP_HALF__ __half h##name(__half v) {                                          \
    return __hip_half(__ocml_##name##_f16(__hip_f16(v)));                                    \
  }                                                                                          \
  __HIP_HALF__ __half2 h2##name(__half2 v) {                                       \
    return __half2(__ocml_##name##_2f16(v.data));                                            \
  }
#else
#define __HIP_HALF_MATH(name, host)                                                          \
  __HIP_HALF__ __half h##name(__half v) {                                          \
    return __float2half(host(__half2float(v)));                                              \
  }                                                                                          \
  __HIP_HALF__ __half2 h2##name(__half2 v) {                                       \
    return __half2(h##name(v.x), h##name(v.y));                                              \
  }
#endif
__HIP_HALF_MATH(trunc, __builtin_truncf)
__HIP_HALF_MATH(ceil, __builtin_ceilf)
__HIP_HALF_MATH(floor, __builtin_floorf)
__HIP_HALF_MATH(rint, __builtin_rintf)
__HIP_HALF_MATH(sin, __builtin_sinf)
__HIP_HALF_MATH(cos, __builtin_cosf)
__HIP_HALF_MATH(exp, __builtin_expf)
__HIP_HALF_MATH(exp2, __builtin_exp2f)
__HIP_HALF_MATH(exp10, __builtin_exp10f)
__HIP_HALF_MATH(log, __builtin_logf)
__HIP_HALF_MATH(log2, __builtin_log2f)
__HIP_HALF_MATH(log10, __builtin_log10f)
__HIP_HALF_MATH(sqrt, __builtin_sqrtf)
__HIP_HALF_MATH(rsqrt, 1.0f / __builtin_sqrtf)
#undef __HIP_HALF_MATH
__HIP_HALF__ __half hrcp(__half v) { return __hip_half((_Float16)1 / __hip_f16(v)); }
__HIP_HALF__ __half2 h2rcp(__half2 v) { return __half2(_Float16_2{1, 1} / v.data); }
#undef __HIP_HALF__

#define __HIP_HALF_LOADS(name)                                       \
  __HIP_DEVICE__ __half name(const __half* address) { return *address; } \
  __HIP_DEVICE__ __half2 name(const __half2* address) { return *address; }
__HIP_HALF_LOADS(__ldg)
__HIP_HALF_LOADS(__ldcg)
__HIP_HALF_LOADS(__ldca)
__HIP_HALF_LOADS(__ldcs)
#undef __HIP_HALF_LOADS

// A half travels in the low bits of a register.
#define __HIP_HALF_SHUFFLE(name, Lane)                                                            \
  __HIP_DEVICE__ __half name(__half v, Lane lane, int width = warpSize) {                         \
    return __ushort_as_half(name(static_cast<int>(__half_as_ushort(v)), lane, width));            \
  }                                                                                               \
  __HIP_DEVICE__ __half2 name(__half2 v, Lane lane, int width = warpSize) {                       \
    return __half2(__builtin_bit_cast(                                                            \
        _Float16_2, name(__builtin_bit_cast(int, v.data), lane, width)));                         \
  }
__HIP_HALF_SHUFFLE(__shfl, int)
__HIP_HALF_SHUFFLE(__shfl_up, unsigned int)
__HIP_HALF_SHUFFLE(__shfl_down, unsigned int)
__HIP_HALF_SHUFFLE(__shfl_xor, int)
#undef __HIP_HALF_SHUFFLE

// The memory hardware of CDNA 3 adds a pair at once.
__HIP_DEVICE__ __half2 unsafeAtomicAdd(__half2* address, __half2 value) {
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
  return __half2(__builtin_amdgcn_flat_atomic_fadd_v2f16(address, value.data));
#else
  return __hip_pair_atomic_add(address, value);
#endif
}
