// Rows of 64 dwords of which some lanes take part, as bits of a mask: moved as host vectors where the
// host has masks of its own.
#pragma once

#include "exec/lanes/sixteen.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace vgpu {
namespace VGPU_TARGET {

#if defined(__AVX512F__)

constexpr bool kHostMasks = true;
constexpr int kMaskedLanes = 16;

// Reads nothing of the other lanes, and leaves them as they are.
VGPU_INLINE void move_masked(uint32_t* to, const uint32_t* from, uint64_t lanes) {
  for (int l = 0; l < kLanes; l += kMaskedLanes) {
    const __mmask16 some = __mmask16(lanes >> l);
    _mm512_mask_storeu_epi32(to + l, some, _mm512_maskz_loadu_epi32(some, from + l));
  }
}

// The same where `to` is a register, which nobody else looks at: written whole, it can be read again
// at once. Hosts without masks read `from` whole, too.
VGPU_INLINE void blend_masked(uint32_t* to, const uint32_t* from, uint64_t lanes) {
  for (int l = 0; l < kLanes; l += kMaskedLanes) {
    const __mmask16 some = __mmask16(lanes >> l);
    const __m512i old = _mm512_loadu_si512(to + l);
    _mm512_storeu_si512(to + l, _mm512_mask_loadu_epi32(old, some, from + l));
  }
}

#else

constexpr bool kHostMasks = false;

VGPU_INLINE void move_masked(uint32_t* to, const uint32_t* from, uint64_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    const int l = __builtin_ctzll(lanes);
    to[l] = from[l];
  }
}
VGPU_INLINE void blend_masked(uint32_t* to, const uint32_t* from, uint64_t lanes) {
  for (int l = 0; l < kLanes; l += kNeighbours) {
    const Sixteen some = taking_part(lanes, l);
    set_row_sixteen(to + l, (row_sixteen(from + l) & some) | (row_sixteen(to + l) & ~some));
  }
}

#endif

}  // namespace VGPU_TARGET
}  // namespace vgpu
