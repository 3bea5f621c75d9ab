// One bit for each byte of a host vector that is all ones: what x86 calls a move mask.
#pragma once

#include <cstdint>

#include "host/cpu_target.h"

#if defined(__x86_64__)
#include <emmintrin.h>  // SSE2, which every x86-64 host has
#else
#include <arm_neon.h>
#endif

namespace vgpu {

#if defined(__x86_64__)

using Bytes16 = __m128i;

VGPU_INLINE Bytes16 load_bytes(const uint8_t* at) {  // aligned to 16
  return _mm_load_si128(reinterpret_cast<const __m128i*>(at));
}
VGPU_INLINE Bytes16 equal_bytes(Bytes16 bytes, uint8_t wanted) {
  return _mm_cmpeq_epi8(_mm_set1_epi8(char(wanted)), bytes);
}
VGPU_INLINE uint64_t bits_of_16(Bytes16 bytes) { return unsigned(_mm_movemask_epi8(bytes)); }
VGPU_INLINE uint64_t bits_of_64(const uint8_t* at) {
  uint64_t bits = 0;
  for (int first = 0; first < 64; first += 16) bits |= bits_of_16(load_bytes(at + first)) << first;
  return bits;
}

#else

using Bytes16 = uint8x16_t;

VGPU_INLINE Bytes16 load_bytes(const uint8_t* at) { return vld1q_u8(at); }
VGPU_INLINE Bytes16 equal_bytes(Bytes16 bytes, uint8_t wanted) {
  return vceqq_u8(bytes, vdupq_n_u8(wanted));
}
// Each byte keeps the bit of its place among eight; neighbours are then added up.
VGPU_INLINE Bytes16 own_bits(Bytes16 bytes) {
  return vandq_u8(bytes, vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201)));
}
VGPU_INLINE uint64_t bits_of_16(Bytes16 bytes) {
  Bytes16 sums = own_bits(bytes);
  for (int step = 0; step < 3; ++step) sums = vpaddq_u8(sums, sums);
  return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
}
VGPU_INLINE uint64_t bits_of_64(const uint8_t* at) {
  const Bytes16 front = vpaddq_u8(own_bits(load_bytes(at)), own_bits(load_bytes(at + 16)));
  const Bytes16 back = vpaddq_u8(own_bits(load_bytes(at + 32)), own_bits(load_bytes(at + 48)));
  const Bytes16 sums = vpaddq_u8(front, back);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

#endif

}  // namespace vgpu
