// __hip_bfloat16 and its pair. CDNA 3 has no arithmetic on single bfloat16 values: everything is
// computed in single precision and rounded to nearest even.
#pragma once

#include <hip/amd_detail/host_defines.h>
#include <hip/hip_vector_types.h>

#include <cstring>

struct __hip_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __hip_bfloat162_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) __hip_bfloat16 {
 private:
  static __HOST_DEVICE__ unsigned int bits_of(float value) {
    unsigned int bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  static __HOST_DEVICE__ float float_of(unsigned int bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }
  static __HOST_DEVICE__ unsigned short rounded(float value) {
    unsigned int bits = bits_of(value);
    if (~bits & 0x7f800000) {
      bits += 0x7fff + ((bits >> 16) & 1);  // to nearest even
    } else if (bits & 0xffff) {
      bits |= 0x10000;  // a NaN stays one when its low bits go
    }
    return bits >> 16;
  }
  // Through single precision with a sticky last bit, so that the value is not rounded twice.
  static __HOST_DEVICE__ unsigned short rounded(double value) {
    float near = static_cast<float>(value);
    if ((value > 0 && near > value) || (value < 0 && near < value))
      near = float_of((bits_of(near) - 1) | 1);
    return rounded(near);
  }

 protected:
  unsigned short __x;

 public:
  __hip_bfloat16() = default;
  __HOST_DEVICE__ __hip_bfloat16(float value) : __x(rounded(value)) {}
  __HOST_DEVICE__ __hip_bfloat16(double value) : __x(rounded(value)) {}
  __HOST_DEVICE__ __hip_bfloat16(int value) : __x(rounded(static_cast<double>(value))) {}
  __HOST_DEVICE__ __hip_bfloat16(unsigned int value) : __x(rounded(static_cast<double>(value))) {}
  __HOST_DEVICE__ __hip_bfloat16(short value) : __x(rounded(static_cast<float>(value))) {}
  __HOST_DEVICE__ __hip_bfloat16(unsigned short value) : __x(rounded(static_cast<float>(value))) {}
  __HOST_DEVICE__ __hip_bfloat16(const __hip_bfloat16_raw& raw) : __x(raw.x) {}

  __HOST_DEVICE__ operator __hip_bfloat16_raw() const { return __hip_bfloat16_raw{__x}; }
  __HOST_DEVICE__ operator __hip_bfloat16_raw() const volatile { return __hip_bfloat16_raw{__x}; }
  __HOST_DEVICE__ operator float() const {
    return float_of(static_cast<unsigned int>(__x) << 16);
  }
  __HOST_DEVICE__ operator bool() const { return (__x & 0x7fff) != 0; }
#define __HIP_BFLOAT16_TO(T) \
  __HOST_DEVICE__ operator T() const { return static_cast<T>(static_cast<float>(*this)); }
  __HIP_BFLOAT16_TO(char)
  __HIP_BFLOAT16_TO(signed char)
  __HIP_BFLOAT16_TO(unsigned char)
  __HIP_BFLOAT16_TO(short)
  __HIP_BFLOAT16_TO(unsigned short)
  __HIP_BFLOAT16_TO(int)
  __HIP_BFLOAT16_TO(unsigned int)
  __HIP_BFLOAT16_TO(long)
  __HIP_BFLOAT16_TO(unsigned long)
  __HIP_BFLOAT16_TO(long long)
  __HIP_BFLOAT16_TO(unsigned long long)
#undef __HIP_BFLOAT16_TO

#define __HIP_BFLOAT16_FROM(T)                           \
  __HOST_DEVICE__ __hip_bfloat16& operator=(T value) {   \
    return *this = __hip_bfloat16(value);                \
  }
  __HIP_BFLOAT16_FROM(float)
  __HIP_BFLOAT16_FROM(double)
  __HIP_BFLOAT16_FROM(int)
  __HIP_BFLOAT16_FROM(unsigned int)
  __HIP_BFLOAT16_FROM(short)
  __HIP_BFLOAT16_FROM(unsigned short)
#undef __HIP_BFLOAT16_FROM
  __HOST_DEVICE__ __hip_bfloat16& operator=(const __hip_bfloat16_raw& raw) {
    __x = raw.x;
    return *this;
  }
  __HOST_DEVICE__ volatile __hip_bfloat16& operator=(const __hip_bfloat16_raw& raw) volatile {
    __x = raw.x;
    return *this;
  }
};

struct __attribute__((aligned(4))) __hip_bfloat162 {
  __hip_bfloat16 x, y;

  __hip_bfloat162() = default;
  __HOST_DEVICE__ __hip_bfloat162(const __hip_bfloat16& low, const __hip_bfloat16& high)
      : x(low), y(high) {}
  __HOST_DEVICE__ __hip_bfloat162(const __hip_bfloat162_raw& raw)
      : x(__hip_bfloat16_raw{raw.x}), y(__hip_bfloat16_raw{raw.y}) {}
  __HOST_DEVICE__ __hip_bfloat162& operator=(const __hip_bfloat162_raw& raw) {
    return *this = __hip_bfloat162(raw);
  }
  __HOST_DEVICE__ operator __hip_bfloat162_raw() const {
    return __hip_bfloat162_raw{static_cast<__hip_bfloat16_raw>(x).x,
                               static_cast<__hip_bfloat16_raw>(y).x};
  }
  __HOST_DEVICE__ operator float2() const {
    return float2(static_cast<float>(x), static_cast<float>(y));
  }
};

// --- conversions ---------------------------------------------------------------------------------
static __HOST_DEVICE__ float __bfloat162float(__hip_bfloat16 v) { return v; }
static __HOST_DEVICE__ __hip_bfloat16 __float2bfloat16(float v) { return __hip_bfloat16(v); }
static __HOST_DEVICE__ __hip_bfloat16 __double2bfloat16(double v) { return __hip_bfloat16(v); }
static __HOST_DEVICE__ unsigned short __bfloat16_as_ushort(__hip_bfloat16 v) {
  return static_cast<__hip_bfloat16_raw>(v).x;
}
static __HOST_DEVICE__ short __bfloat16_as_short(__hip_bfloat16 v) {
  return __bfloat16_as_ushort(v);
}
static __HOST_DEVICE__ __hip_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __hip_bfloat16_raw{bits};
}
static __HOST_DEVICE__ __hip_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16(bits);
}
static __HOST_DEVICE__ float2 __bfloat1622float2(__hip_bfloat162 v) { return v; }
static __HOST_DEVICE__ __hip_bfloat162 __float22bfloat162_rn(float2 v) {
  return __hip_bfloat162(v.x, v.y);
}
static __HOST_DEVICE__ __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 v) {
  return __hip_bfloat162(v, v);
}
static __HOST_DEVICE__ __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hip_bfloat162(a, b);
}
static __HOST_DEVICE__ __hip_bfloat16 __low2bfloat16(__hip_bfloat162 v) { return v.x; }
static __HOST_DEVICE__ __hip_bfloat16 __high2bfloat16(__hip_bfloat162 v) { return v.y; }
static __HOST_DEVICE__ float __low2float(__hip_bfloat162 v) { return v.x; }
static __HOST_DEVICE__ float __high2float(__hip_bfloat162 v) { return v.y; }
static __HOST_DEVICE__ __hip_bfloat162 __low2bfloat162(__hip_bfloat162 v) {
  return __hip_bfloat162(v.x, v.x);
}
static __HOST_DEVICE__ __hip_bfloat162 __high2bfloat162(__hip_bfloat162 v) {
  return __hip_bfloat162(v.y, v.y);
}
static __HOST_DEVICE__ __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) {
  return __hip_bfloat162(a.x, b.x);
}
static __HOST_DEVICE__ __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) {
  return __hip_bfloat162(a.y, b.y);
}
static __HOST_DEVICE__ __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 v) {
  return __hip_bfloat162(v.y, v.x);
}

// --- operators -----------------------------------------------------------------------------------
#define __HIP_BFLOAT16_ARITHMETIC(op, name)                                                        \
  static __HOST_DEVICE__ __hip_bfloat16 __h##name(__hip_bfloat16 a, __hip_bfloat16 b) {            \
    return __hip_bfloat16(static_cast<float>(a) op static_cast<float>(b));                         \
  }                                                                                                \
  static __HOST_DEVICE__ __hip_bfloat16 operator op(const __hip_bfloat16& a,                       \
                                                    const __hip_bfloat16& b) {                     \
    return __h##name(a, b);                                                                        \
  }                                                                                                \
  static __HOST_DEVICE__ __hip_bfloat16& operator op##=(__hip_bfloat16& a,                         \
                                                        const __hip_bfloat16& b) {                 \
    return a = __h##name(a, b);                                                                    \
  }                                                                                                \
  static __HOST_DEVICE__ __hip_bfloat162 operator op(const __hip_bfloat162& a,                     \
                                                     const __hip_bfloat162& b) {                   \
    return __hip_bfloat162(__h##name(a.x, b.x), __h##name(a.y, b.y));                              \
  }                                                                                                \
  static __HOST_DEVICE__ __hip_bfloat162& operator op##=(__hip_bfloat162& a,                       \
                                                         const __hip_bfloat162& b) {               \
    return a = a op b;                                                                             \
  }
__HIP_BFLOAT16_ARITHMETIC(+, add)
__HIP_BFLOAT16_ARITHMETIC(-, sub)
__HIP_BFLOAT16_ARITHMETIC(*, mul)
__HIP_BFLOAT16_ARITHMETIC(/, div)
#undef __HIP_BFLOAT16_ARITHMETIC

// Comparisons: plain ones are false with a NaN, those with u are true. On pairs, the 2 forms give
// 1.0 or 0.0 per element and the b forms whether both hold.
#define __HIP_BFLOAT16_COMPARISON(op, inverse, name)                                               \
  static __HOST_DEVICE__ bool __h##name(__hip_bfloat16 a, __hip_bfloat16 b) {                      \
    return static_cast<float>(a) op static_cast<float>(b);                                         \
  }                                                                                                \
  static __HOST_DEVICE__ bool __h##name##u(__hip_bfloat16 a, __hip_bfloat16 b) {                   \
    return !(static_cast<float>(a) inverse static_cast<float>(b));                                 \
  }                                                                                                \
  static __HOST_DEVICE__ bool operator op(const __hip_bfloat16& a, const __hip_bfloat16& b) {      \
    return __h##name(a, b);                                                                        \
  }                                                                                                \
  static __HOST_DEVICE__ __hip_bfloat162 __h##name##2(__hip_bfloat162 a, __hip_bfloat162 b) {      \
    return __hip_bfloat162(__hip_bfloat16(__h##name(a.x, b.x) ? 1.0f : 0.0f),                      \
                           __hip_bfloat16(__h##name(a.y, b.y) ? 1.0f : 0.0f));                     \
  }                                                                                                \
  static __HOST_DEVICE__ bool __hb##name##2(__hip_bfloat162 a, __hip_bfloat162 b) {                \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                             \
  }                                                                                                \
  static __HOST_DEVICE__ bool __hb##name##u2(__hip_bfloat162 a, __hip_bfloat162 b) {               \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                       \
  }                                                                                                \
  static __HOST_DEVICE__ bool operator op(const __hip_bfloat162& a, const __hip_bfloat162& b) {    \
    return __hb##name##2(a, b);                                                                    \
  }
__HIP_BFLOAT16_COMPARISON(==, !=, eq)
__HIP_BFLOAT16_COMPARISON(!=, ==, ne)
__HIP_BFLOAT16_COMPARISON(<, >=, lt)
__HIP_BFLOAT16_COMPARISON(<=, >, le)
__HIP_BFLOAT16_COMPARISON(>, <=, gt)
__HIP_BFLOAT16_COMPARISON(>=, <, ge)
#undef __HIP_BFLOAT16_COMPARISON

static __HOST_DEVICE__ __hip_bfloat16 __hneg(__hip_bfloat16 v) {
  return __ushort_as_bfloat16(__bfloat16_as_ushort(v) ^ 0x8000);
}
static __HOST_DEVICE__ __hip_bfloat16 __habs(__hip_bfloat16 v) {
  return __ushort_as_bfloat16(__bfloat16_as_ushort(v) & 0x7fff);
}
static __HOST_DEVICE__ __hip_bfloat16 operator-(const __hip_bfloat16& v) { return __hneg(v); }
static __HOST_DEVICE__ __hip_bfloat16 operator+(const __hip_bfloat16& v) { return v; }
static __HOST_DEVICE__ __hip_bfloat162 operator-(const __hip_bfloat162& v) {
  return __hip_bfloat162(__hneg(v.x), __hneg(v.y));
}
static __HOST_DEVICE__ __hip_bfloat16& operator++(__hip_bfloat16& v) {
  return v += __hip_bfloat16(1.0f);
}
static __HOST_DEVICE__ __hip_bfloat16& operator--(__hip_bfloat16& v) {
  return v -= __hip_bfloat16(1.0f);
}
static __HOST_DEVICE__ bool __hisnan(__hip_bfloat16 v) {
  return (__bfloat16_as_ushort(v) & 0x7fff) > 0x7f80;
}
static __HOST_DEVICE__ bool __hisinf(__hip_bfloat16 v) {
  return (__bfloat16_as_ushort(v) & 0x7fff) == 0x7f80;
}

#define HIPRT_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000))
#define HIPRT_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000))
#define HIPRT_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80))
#define HIPRT_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001))
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7f))
#define HIPRT_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80))
#define HIPRT_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fff))
