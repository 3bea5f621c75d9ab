// Mathematics, pairs and shuffles of bfloat16, on the device.
#pragma once

#include <hip/amd_detail/atomics.h>
#include <hip/amd_detail/bfloat16_types.h>
#include <hip/amd_detail/warp_functions.h>

__HIP_DEVICE__ __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
  return __hip_bfloat16(__ocml_fma_f32(static_cast<float>(a), static_cast<float>(b),
                                       static_cast<float>(c)));
}
// The number wins over a NaN.
__HIP_DEVICE__ __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hip_bfloat16(__ocml_fmax_f32(static_cast<float>(a), static_cast<float>(b)));
}
__HIP_DEVICE__ __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hip_bfloat16(__ocml_fmin_f32(static_cast<float>(a), static_cast<float>(b)));
}

__HIP_DEVICE__ __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c) {
  return __hip_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
#define __HIP_BFLOAT162_BINARY(pair, single)                                        \
  __HIP_DEVICE__ __hip_bfloat162 pair(__hip_bfloat162 a, __hip_bfloat162 b) {       \
    return __hip_bfloat162(single(a.x, b.x), single(a.y, b.y));                     \
  }
__HIP_BFLOAT162_BINARY(__hadd2, __hadd)
__HIP_BFLOAT162_BINARY(__hsub2, __hsub)
__HIP_BFLOAT162_BINARY(__hmul2, __hmul)
__HIP_BFLOAT162_BINARY(__h2div, __hdiv)
__HIP_BFLOAT162_BINARY(__hmax2, __hmax)
__HIP_BFLOAT162_BINARY(__hmin2, __hmin)
#undef __HIP_BFLOAT162_BINARY

#define __HIP_BFLOAT162_UNARY(pair, single)                     \
  __HIP_DEVICE__ __hip_bfloat162 pair(__hip_bfloat162 v) {      \
    return __hip_bfloat162(single(v.x), single(v.y));           \
  }
#define __HIP_BFLOAT16_MATH(name)                                                            \
  __HIP_DEVICE__ __hip_bfloat16 h##name(__hip_bfloat16 v) {                                  \
    return __hip_bfloat16(__ocml_##name##_f32(static_cast<float>(v)));                       \
  }                                                                                          \
  __HIP_BFLOAT162_UNARY(h2##name, h##name)
__HIP_BFLOAT16_MATH(trunc)
__HIP_BFLOAT16_MATH(ceil)
__HIP_BFLOAT16_MATH(floor)
__HIP_BFLOAT16_MATH(rint)
__HIP_BFLOAT16_MATH(sin)
__HIP_BFLOAT16_MATH(cos)
__HIP_BFLOAT16_MATH(exp)
__HIP_BFLOAT16_MATH(exp2)
__HIP_BFLOAT16_MATH(exp10)
__HIP_BFLOAT16_MATH(log)
__HIP_BFLOAT16_MATH(log2)
__HIP_BFLOAT16_MATH(log10)
__HIP_BFLOAT16_MATH(sqrt)
__HIP_BFLOAT16_MATH(rsqrt)
__HIP_DEVICE__ __hip_bfloat16 hrcp(__hip_bfloat16 v) {
  return __hip_bfloat16(1.0f / static_cast<float>(v));
}
__HIP_BFLOAT162_UNARY(h2rcp, hrcp)
__HIP_BFLOAT162_UNARY(__hneg2, __hneg)
__HIP_BFLOAT162_UNARY(__habs2, __habs)
#undef __HIP_BFLOAT16_MATH
#undef __HIP_BFLOAT162_UNARY

#define __HIP_BFLOAT16_SHUFFLE(name, Lane)                                                   \
  __HIP_DEVICE__ __hip_bfloat16 name(__hip_bfloat16 v, Lane lane, int width = warpSize) {    \
    return __ushort_as_bfloat16(name(static_cast<int>(__bfloat16_as_ushort(v)), lane, width)); \
  }                                                                                          \
  __HIP_DEVICE__ __hip_bfloat162 name(__hip_bfloat162 v, Lane lane, int width = warpSize) {  \
    return __hip_value_from_lane(v, name(static_cast<int>(__lane_id()), lane, width));       \
  }
__HIP_BFLOAT16_SHUFFLE(__shfl, int)
__HIP_BFLOAT16_SHUFFLE(__shfl_up, unsigned int)
__HIP_BFLOAT16_SHUFFLE(__shfl_down, unsigned int)
__HIP_BFLOAT16_SHUFFLE(__shfl_xor, int)
#undef __HIP_BFLOAT16_SHUFFLE

__HIP_DEVICE__ __hip_bfloat16 __ldg(const __hip_bfloat16* address) { return *address; }
__HIP_DEVICE__ __hip_bfloat162 __ldg(const __hip_bfloat162* address) { return *address; }

// The memory hardware of CDNA 3 adds a pair at once.
__HIP_DEVICE__ __hip_bfloat162 unsafeAtomicAdd(__hip_bfloat162* address, __hip_bfloat162 value) {
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
  typedef short pair __attribute__((ext_vector_type(2)));
  const pair before =
      __builtin_amdgcn_flat_atomic_fadd_v2bf16(reinterpret_cast<pair*>(address),
                                               __builtin_bit_cast(pair, value));
  return __builtin_bit_cast(__hip_bfloat162, before);
#else
  return __hip_pair_atomic_add(address, value);
#endif
}
