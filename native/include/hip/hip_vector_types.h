// char1 .. double4 with arithmetic, and make_char1 .. make_double4.
#pragma once

#include <hip/amd_detail/host_defines.h>

#ifdef __cplusplus
#include <array>
#include <iosfwd>

#include <hip/amd_detail/vector_type.h>

#define __HIP_VECTORS(name, T)                                                                   \
  using name##1 = HIP_vector_type<T, 1>;                                                         \
  using name##2 = HIP_vector_type<T, 2>;                                                         \
  using name##3 = HIP_vector_type<T, 3>;                                                         \
  using name##4 = HIP_vector_type<T, 4>;                                                         \
  static __HOST_DEVICE__ name##1 make_##name##1(T x) { return name##1(x); }                      \
  static __HOST_DEVICE__ name##2 make_##name##2(T x, T y) { return name##2(x, y); }              \
  static __HOST_DEVICE__ name##3 make_##name##3(T x, T y, T z) { return name##3(x, y, z); }      \
  static __HOST_DEVICE__ name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }
#else
// C has the elements only, and no alignment beyond theirs.
#define __HIP_VECTORS(name, T)                                                                   \
  typedef struct { T x; } name##1;                                                               \
  typedef struct { T x, y; } name##2;                                                            \
  typedef struct { T x, y, z; } name##3;                                                         \
  typedef struct { T x, y, z, w; } name##4;                                                      \
  static inline name##1 make_##name##1(T x) { name##1 v = {x}; return v; }                       \
  static inline name##2 make_##name##2(T x, T y) { name##2 v = {x, y}; return v; }               \
  static inline name##3 make_##name##3(T x, T y, T z) { name##3 v = {x, y, z}; return v; }       \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { name##4 v = {x, y, z, w}; return v; }
#endif

__HIP_VECTORS(uchar, unsigned char)
__HIP_VECTORS(char, char)
__HIP_VECTORS(ushort, unsigned short)
__HIP_VECTORS(short, short)
__HIP_VECTORS(uint, unsigned int)
__HIP_VECTORS(int, int)
__HIP_VECTORS(ulong, unsigned long)
__HIP_VECTORS(long, long)
__HIP_VECTORS(ulonglong, unsigned long long)
__HIP_VECTORS(longlong, long long)
__HIP_VECTORS(float, float)
__HIP_VECTORS(double, double)
#undef __HIP_VECTORS
