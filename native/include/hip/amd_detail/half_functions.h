// Arithmetic, comparison, mathematics, shuffles and atomics of half precision, on the device.
#pragma once

#include <hip/amd_detail/atomics.h>
#include <hip/amd_detail/half_conversions.h>
#include <hip/amd_detail/warp_functions.h>

__HIP_DEVICE__ _Float16 __hip_f16(__half v) { return static_cast<__half_raw>(v).data; }

#define __HIP_HALF_BINARY(name, op)                                                              \
  __HIP_DEVICE__ __half __h##name(__half a, __half b) {                                          \
    return __hip_half(__hip_f16(a) op __hip_f16(b));                                             \
  }                                                                                              \
  __HIP_DEVICE__ __half2 __h##name##2(__half2 a, __half2 b) { return __half2(a.data op b.data); }
__HIP_HALF_BINARY(add, +)
__HIP_HALF_BINARY(sub, -)
__HIP_HALF_BINARY(mul, *)
#undef __HIP_HALF_BINARY
__HIP_DEVICE__ __half __hdiv(__half a, __half b) {
  return __hip_half(__hip_f16(a) / __hip_f16(b));
}
__HIP_DEVICE__ __half2 __h2div(__half2 a, __half2 b) { return __half2(a.data / b.data); }
__HIP_DEVICE__ __half __hneg(__half v) { return __hip_half(-__hip_f16(v)); }
__HIP_DEVICE__ __half2 __hneg2(__half2 v) { return __half2(-v.data); }
__HIP_DEVICE__ __half __habs(__half v) { return __hip_half(__ocml_fabs_f16(__hip_f16(v))); }
__HIP_DEVICE__ __half2 __habs2(__half2 v) { return __half2(__ocml_fabs_2f16(v.data)); }
__HIP_DEVICE__ __half __hfma(__half a, __half b, __half c) {
  return __hip_half(__ocml_fma_f16(__hip_f16(a), __hip_f16(b), __hip_f16(c)));
}
__HIP_DEVICE__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__ocml_fma_2f16(a.data, b.data, c.data));
}

// Saturation is to [0, 1].
__HIP_DEVICE__ __half __clamp_01(__half v) {
  const _Float16 x = __hip_f16(v);
  return __hip_half(x < (_Float16)0 || x != x ? (_Float16)0 : x > (_Float16)1 ? (_Float16)1 : x);
}
__HIP_DEVICE__ __half2 __hip_clamp2_01(__half2 v) {
  return __half2(__clamp_01(v.x), __clamp_01(v.y));
}
__HIP_DEVICE__ __half __hadd_sat(__half a, __half b) { return __clamp_01(__hadd(a, b)); }
__HIP_DEVICE__ __half __hsub_sat(__half a, __half b) { return __clamp_01(__hsub(a, b)); }
__HIP_DEVICE__ __half __hmul_sat(__half a, __half b) { return __clamp_01(__hmul(a, b)); }
__HIP_DEVICE__ __half __hfma_sat(__half a, __half b, __half c) {
  return __clamp_01(__hfma(a, b, c));
}
__HIP_DEVICE__ __half2 __hadd2_sat(__half2 a, __half2 b) { return __hip_clamp2_01(__hadd2(a, b)); }
__HIP_DEVICE__ __half2 __hsub2_sat(__half2 a, __half2 b) { return __hip_clamp2_01(__hsub2(a, b)); }
__HIP_DEVICE__ __half2 __hmul2_sat(__half2 a, __half2 b) { return __hip_clamp2_01(__hmul2(a, b)); }
__HIP_DEVICE__ __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return __hip_clamp2_01(__hfma2(a, b, c));
}

__HIP_DEVICE__ __half2 __hip_truth2(bool x, bool y) {
  return __half2(_Float16_2{static_cast<_Float16>(x), static_cast<_Float16>(y)});
}

// Comparisons: plain ones are false with a NaN, those with u are true. On pairs, the 2 forms give
// 1.0 or 0.0 per element and the b forms whether both hold.
#define __HIP_HALF_COMPARE(name, op, inverse)                                                     \
  __HIP_DEVICE__ bool __h##name(__half a, __half b) { return __hip_f16(a) op __hip_f16(b); }      \
  __HIP_DEVICE__ bool __h##name##u(__half a, __half b) {                                          \
    return !(__hip_f16(a) inverse __hip_f16(b));                                                  \
  }                                                                                               \
  __HIP_DEVICE__ __half2 __h##name##2(__half2 a, __half2 b) {                                     \
    return __hip_truth2(__h##name(a.x, b.x), __h##name(a.y, b.y));                                \
  }                                                                                               \
  __HIP_DEVICE__ __half2 __h##name##u2(__half2 a, __half2 b) {                                    \
    return __hip_truth2(__h##name##u(a.x, b.x), __h##name##u(a.y, b.y));                          \
  }                                                                                               \
  __HIP_DEVICE__ bool __hb##name##2(__half2 a, __half2 b) {                                       \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                            \
  }                                                                                               \
  __HIP_DEVICE__ bool __hb##name##u2(__half2 a, __half2 b) {                                      \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                      \
  }
__HIP_HALF_COMPARE(eq, ==, !=)
__HIP_HALF_COMPARE(ne, !=, ==)
__HIP_HALF_COMPARE(lt, <, >=)
__HIP_HALF_COMPARE(le, <=, >)
__HIP_HALF_COMPARE(gt, >, <=)
__HIP_HALF_COMPARE(ge, >=, <)
#undef __HIP_HALF_COMPARE

__HIP_DEVICE__ bool __hisnan(__half v) { return __hip_f16(v) != __hip_f16(v); }
__HIP_DEVICE__ int __hisinf(__half v) { return (__half_as_ushort(v) & 0x7fff) == 0x7c00; }
__HIP_DEVICE__ __half2 __hisnan2(__half2 v) { return __hip_truth2(__hisnan(v.x), __hisnan(v.y)); }
__HIP_DEVICE__ __half2 __hisinf2(__half2 v) { return __hip_truth2(__hisinf(v.x), __hisinf(v.y)); }

// The number wins over a NaN, except in the _nan forms.
__HIP_DEVICE__ __half __hmax(__half a, __half b) {
  return __hip_half(__ocml_fmax_f16(__hip_f16(a), __hip_f16(b)));
}
__HIP_DEVICE__ __half __hmin(__half a, __half b) {
  return __hip_half(__ocml_fmin_f16(__hip_f16(a), __hip_f16(b)));
}
__HIP_DEVICE__ __half __hmax_nan(__half a, __half b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
__HIP_DEVICE__ __half __hmin_nan(__half a, __half b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
__HIP_DEVICE__ __half2 __hmax2(__half2 a, __half2 b) {
  return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__HIP_DEVICE__ __half2 __hmin2(__half2 a, __half2 b) {
  return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

#define __HIP_HALF_MATH(name)                                                                  \
  __HIP_DEVICE__ __half h##name(__half v) {                                                    \
    return __hip_half(__ocml_##name##_f16(__hip_f16(v)));                                      \
  }                                                                                            \
  __HIP_DEVICE__ __half2 h2##name(__half2 v) { return __half2(__ocml_##name##_2f16(v.data)); }
__HIP_HALF_MATH(trunc)
__HIP_HALF_MATH(ceil)
__HIP_HALF_MATH(floor)
__HIP_HALF_MATH(rint)
__HIP_HALF_MATH(sin)
__HIP_HALF_MATH(cos)
__HIP_HALF_MATH(exp)
__HIP_HALF_MATH(exp2)
__HIP_HALF_MATH(exp10)
__HIP_HALF_MATH(log)
__HIP_HALF_MATH(log2)
__HIP_HALF_MATH(log10)
__HIP_HALF_MATH(sqrt)
__HIP_HALF_MATH(rsqrt)
#undef __HIP_HALF_MATH
__HIP_DEVICE__ __half hrcp(__half v) { return __hip_half((_Float16)1 / __hip_f16(v)); }
__HIP_DEVICE__ __half2 h2rcp(__half2 v) { return __half2(_Float16_2{1, 1} / v.data); }

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

// The memory hardware adds pairs of halves at once.
__HIP_DEVICE__ __half2 unsafeAtomicAdd(__half2* address, __half2 value) {
  unsigned int* word = reinterpret_cast<unsigned int*>(address);
  unsigned int old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_strong(
      word, &old,
      __builtin_bit_cast(unsigned int, __builtin_bit_cast(_Float16_2, old) + value.data),
      __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return __half2(__builtin_bit_cast(_Float16_2, old));
}
__HIP_DEVICE__ __half2 atomicAdd(__half2* address, __half2 value) {
  return unsafeAtomicAdd(address, value);
}
