// Bit counting, bit fields, byte selection, high products, averages.
#pragma once

#include <hip/amd_detail/device_library.h>

__HIP_DEVICE__ unsigned int __popc(unsigned int x) { return __builtin_popcount(x); }
__HIP_DEVICE__ unsigned int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

// Leading zeros; all of them for 0.
__HIP_DEVICE__ int __clz(int x) { return x ? __builtin_clz(x) : 32; }
__HIP_DEVICE__ int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }

// The position of the lowest set bit, counted from 1; 0 when there is none.
__HIP_DEVICE__ int __ffs(unsigned int x) { return x ? __builtin_ctz(x) + 1 : 0; }
__HIP_DEVICE__ int __ffs(int x) { return __ffs(static_cast<unsigned int>(x)); }
__HIP_DEVICE__ int __ffsll(unsigned long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
__HIP_DEVICE__ int __ffsll(long long x) { return __ffsll(static_cast<unsigned long long>(x)); }
__HIP_DEVICE__ int __ffsll(unsigned long x) { return __ffsll(static_cast<unsigned long long>(x)); }
__HIP_DEVICE__ unsigned int __lastbit_u32_u64(uint64_t x) { return x ? __builtin_ctzll(x) : -1; }

__HIP_DEVICE__ unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__HIP_DEVICE__ unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}

// The position of the n-th set bit at or above `base` (n > 0) or at or below it (n < 0).
__HIP_DEVICE__ int __fns64(uint64_t mask, uint32_t base, int n) {
  if (n == 0) return (mask >> base) & 1 ? static_cast<int>(base) : -1;
  const int step = n > 0 ? 1 : -1;
  int left = n > 0 ? n : -n;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 64; bit += step)
    if (((mask >> bit) & 1) && --left == 0) return bit;
  return -1;
}
__HIP_DEVICE__ int __fns32(uint64_t mask, uint32_t base, int n) {
  return __fns64(mask & 0xffffffffull, base, n);
}
__HIP_DEVICE__ int __fns(unsigned int mask, unsigned int base, int n) {
  return __fns64(mask, base, n);
}

__HIP_DEVICE__ unsigned int __bitextract_u32(unsigned int x, unsigned int first,
                                             unsigned int width) {
  first &= 31;
  width &= 31;
  return width ? (x << (32 - first - width)) >> (32 - width) : 0;
}
__HIP_DEVICE__ uint64_t __bitextract_u64(uint64_t x, unsigned int first, unsigned int width) {
  first &= 63;
  width &= 63;
  return width ? (x << (64 - first - width)) >> (64 - width) : 0;
}
__HIP_DEVICE__ unsigned int __bitinsert_u32(unsigned int x, unsigned int field, unsigned int first,
                                            unsigned int width) {
  const unsigned int mask = ((1u << (width & 31)) - 1) << (first & 31);
  return (x & ~mask) | ((field << (first & 31)) & mask);
}
__HIP_DEVICE__ uint64_t __bitinsert_u64(uint64_t x, uint64_t field, unsigned int first,
                                        unsigned int width) {
  const uint64_t mask = ((1ull << (width & 63)) - 1) << (first & 63);
  return (x & ~mask) | ((field << (first & 63)) & mask);
}

// Shift the 64 bits hi:lo; the c forms clamp the distance at 32.
__HIP_DEVICE__ unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return ((static_cast<uint64_t>(hi) << 32 | lo) << (shift & 31)) >> 32;
}
__HIP_DEVICE__ unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi,
                                             unsigned int shift) {
  return ((static_cast<uint64_t>(hi) << 32 | lo) << (shift < 32 ? shift : 32)) >> 32;
}
__HIP_DEVICE__ unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return __builtin_amdgcn_alignbit(hi, lo, shift);
}
__HIP_DEVICE__ unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi,
                                             unsigned int shift) {
  return (static_cast<uint64_t>(hi) << 32 | lo) >> (shift < 32 ? shift : 32);
}

// Four bytes out of the eight of y:x, chosen by the low three bits of each nibble of `selector`.
__HIP_DEVICE__ unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const unsigned int bytes = (selector & 0x7) | (selector & 0x70) << 4 | (selector & 0x700) << 8 |
                             (selector & 0x7000) << 12;
  return __builtin_amdgcn_perm(y, x, bytes);
}

__HIP_DEVICE__ int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
__HIP_DEVICE__ int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffff) * (y & 0xffffff);
}
__HIP_DEVICE__ int __mulhi(int x, int y) { return (static_cast<int64_t>(x) * y) >> 32; }
__HIP_DEVICE__ unsigned int __umulhi(unsigned int x, unsigned int y) {
  return (static_cast<uint64_t>(x) * y) >> 32;
}
__HIP_DEVICE__ long long __mul64hi(long long x, long long y) {
  return (static_cast<__int128>(x) * y) >> 64;
}
__HIP_DEVICE__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (static_cast<unsigned __int128>(x) * y) >> 64;
}

__HIP_DEVICE__ int __hadd(int x, int y) { return (static_cast<int64_t>(x) + y) >> 1; }
__HIP_DEVICE__ int __rhadd(int x, int y) { return (static_cast<int64_t>(x) + y + 1) >> 1; }
__HIP_DEVICE__ unsigned int __uhadd(unsigned int x, unsigned int y) {
  return (static_cast<uint64_t>(x) + y) >> 1;
}
__HIP_DEVICE__ unsigned int __urhadd(unsigned int x, unsigned int y) {
  return (static_cast<uint64_t>(x) + y + 1) >> 1;
}
__HIP_DEVICE__ unsigned int __sad(int x, int y, unsigned int z) {
  return (x > y ? x - y : y - x) + z;
}
__HIP_DEVICE__ unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x > y ? x - y : y - x) + z;
}
__HIP_DEVICE__ unsigned int __mbcnt_lo(unsigned int mask, unsigned int add) {
  return __builtin_amdgcn_mbcnt_lo(mask, add);
}
__HIP_DEVICE__ unsigned int __mbcnt_hi(unsigned int mask, unsigned int add) {
  return __builtin_amdgcn_mbcnt_hi(mask, add);
}
