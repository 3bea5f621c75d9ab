// What is asked of the 64 addresses of a memory instruction.
#pragma once

#include "exec/lanes/sixteen.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace vgpu {
namespace VGPU_TARGET {

struct AddressBounds {
  uint64_t low, high;
};

#if defined(__AVX512F__)

VGPU_INLINE AddressBounds bounds_of(const uint64_t* at) {
  __m512i low = _mm512_loadu_si512(at), high = low;
  for (int l = 8; l < kLanes; l += 8) {
    const __m512i more = _mm512_loadu_si512(at + l);
    low = _mm512_min_epu64(low, more);
    high = _mm512_max_epu64(high, more);
  }
  return {_mm512_reduce_min_epu64(low), _mm512_reduce_max_epu64(high)};
}

// Whether sixteen lanes have the same one.
VGPU_INLINE bool all_same(const uint64_t* at) {
  const __m512i first = _mm512_set1_epi64(int64_t(at[0]));
  return (_mm512_cmpneq_epi64_mask(first, _mm512_loadu_si512(at)) |
          _mm512_cmpneq_epi64_mask(first, _mm512_loadu_si512(at + 8))) == 0;
}

#else

VGPU_INLINE AddressBounds bounds_of(const uint64_t* at) {
  uint64_t low = at[0], high = at[0];
  for (int l = 1; l < kLanes; ++l) {
    low = at[l] < low ? at[l] : low;
    high = at[l] > high ? at[l] : high;
  }
  return {low, high};
}

VGPU_INLINE bool all_same(const uint64_t* at) {
  uint64_t different = 0;
  for (int l = 1; l < kNeighbours; ++l) different |= at[l] ^ at[0];
  return different == 0;
}

#endif

}  // namespace VGPU_TARGET
}  // namespace vgpu
