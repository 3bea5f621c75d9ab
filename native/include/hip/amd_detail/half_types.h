// __half and __half2.
#pragma once

#include <hip/amd_detail/host_defines.h>
#include <hip/hip_vector_types.h>

#if defined(__aarch64__) && !defined(__clang__) && defined(__GNUC__) && __GNUC__ < 13
typedef __fp16 _Float16;  // gcc for Arm did not know it in C++ yet; stored the same
#endif

#if defined(__clang__)
typedef _Float16 _Float16_2 __attribute__((ext_vector_type(2)));
#endif

struct __half_raw {
  union {
    _Float16 data;
    unsigned short x;
  };
};

struct __half2_raw {
  union {
    struct {
      struct __half_raw x, y;
    };
#if defined(__clang__)
    _Float16_2 data;
#endif
  };
};

#ifdef __cplusplus
#include <type_traits>

#define __HIP_IF_FLOAT(T)                                              \
  typename std::enable_if<std::is_floating_point<T>::value ||          \
                          std::is_same<T, _Float16>::value>::type* = nullptr
#define __HIP_IF_INTEGER(T) \
  typename std::enable_if<std::is_integral<T>::value>::type* = nullptr

struct __half {
 protected:
  union {
    _Float16 data;
    unsigned short __x;
  };

 public:
  __half() = default;
  __HOST_DEVICE__ __half(const __half_raw& raw) : data(raw.data) {}
#if !defined(__HIP_NO_HALF_CONVERSIONS__)
  // Not only the template: this one also takes what converts to a number by itself.
  __HOST_DEVICE__ __half(_Float16 value) : data(value) {}
  template <typename T, __HIP_IF_FLOAT(T)>
  __HOST_DEVICE__ __half(T value) : data(static_cast<_Float16>(value)) {}
  template <typename T, __HIP_IF_INTEGER(T)>
  __HOST_DEVICE__ __half(T value) : data(static_cast<_Float16>(value)) {}
  template <typename T, __HIP_IF_FLOAT(T)>
  __HOST_DEVICE__ __half& operator=(T value) {
    data = static_cast<_Float16>(value);
    return *this;
  }
  template <typename T, __HIP_IF_INTEGER(T)>
  __HOST_DEVICE__ __half& operator=(T value) {
    data = static_cast<_Float16>(value);
    return *this;
  }
  template <typename T, __HIP_IF_FLOAT(T)>
  __HOST_DEVICE__ operator T() const { return data; }
  template <typename T, __HIP_IF_INTEGER(T)>
  __HOST_DEVICE__ operator T() const { return data; }
#endif
  __HOST_DEVICE__ __half& operator=(const __half_raw& raw) {
    data = raw.data;
    return *this;
  }
  __HOST_DEVICE__ volatile __half& operator=(const __half_raw& raw) volatile {
    data = raw.data;
    return *this;
  }
  __HOST_DEVICE__ operator __half_raw() const {
    __half_raw raw;
    raw.data = data;
    return raw;
  }
  __HOST_DEVICE__ operator __half_raw() const volatile {
    __half_raw raw;
    raw.data = data;
    return raw;
  }

#if !defined(__HIP_NO_HALF_OPERATORS__)
#define __HIP_HALF_ARITHMETIC(op)                                                       \
  __HOST_DEVICE__ __half& operator op##=(const __half& other) {                         \
    data op##= other.data;                                                              \
    return *this;                                                                       \
  }                                                                                     \
  friend __HOST_DEVICE__ __half operator op(const __half& a, const __half& b) {         \
    return __half(a) op##= b;                                                           \
  }
#define __HIP_HALF_COMPARISON(op)                                                       \
  friend __HOST_DEVICE__ bool operator op(const __half& a, const __half& b) {           \
    return a.data op b.data;                                                            \
  }
  __HIP_HALF_ARITHMETIC(+)
  __HIP_HALF_ARITHMETIC(-)
  __HIP_HALF_ARITHMETIC(*)
  __HIP_HALF_ARITHMETIC(/)
  __HIP_HALF_COMPARISON(==)
  __HIP_HALF_COMPARISON(!=)
  __HIP_HALF_COMPARISON(<)
  __HIP_HALF_COMPARISON(>)
  __HIP_HALF_COMPARISON(<=)
  __HIP_HALF_COMPARISON(>=)
#undef __HIP_HALF_ARITHMETIC
#undef __HIP_HALF_COMPARISON
  __HOST_DEVICE__ __half operator+() const { return *this; }
  __HOST_DEVICE__ __half operator-() const {
    __half negative(*this);
    negative.data = -data;
    return negative;
  }
  __HOST_DEVICE__ __half& operator++() {
    data += 1;
    return *this;
  }
  __HOST_DEVICE__ __half& operator--() {
    data -= 1;
    return *this;
  }
  __HOST_DEVICE__ __half operator++(int) {
    __half before(*this);
    ++*this;
    return before;
  }
  __HOST_DEVICE__ __half operator--(int) {
    __half before(*this);
    --*this;
    return before;
  }
#endif
};

struct __half2 {
#if defined(__clang__)
  union {
    struct {
      __half x, y;
    };
    _Float16_2 data;
  };
#else
  __half x, y;
#endif

  __half2() = default;
  __HOST_DEVICE__ __half2(const __half& low, const __half& high) : x(low), y(high) {}
  __HOST_DEVICE__ __half2(const __half2_raw& raw) : x(raw.x), y(raw.y) {}
  __HOST_DEVICE__ __half2(const __half2& other) : x(other.x), y(other.y) {}
  __HOST_DEVICE__ __half2& operator=(const __half2& other) {
    x = other.x;
    y = other.y;
    return *this;
  }
  __HOST_DEVICE__ __half2& operator=(const __half2_raw& raw) { return *this = __half2(raw); }
  __HOST_DEVICE__ operator __half2_raw() const {
    __half2_raw raw;
    raw.x = x;
    raw.y = y;
    return raw;
  }
#if defined(__clang__)
  __HOST_DEVICE__ __half2(_Float16_2 vector) : data(vector) {}
  __HOST_DEVICE__ operator _Float16_2() const { return data; }

#if !defined(__HIP_NO_HALF_OPERATORS__)
#define __HIP_HALF2_ARITHMETIC(op)                                                      \
  __HOST_DEVICE__ __half2& operator op##=(const __half2& other) {                       \
    data op##= other.data;                                                              \
    return *this;                                                                       \
  }                                                                                     \
  friend __HOST_DEVICE__ __half2 operator op(const __half2& a, const __half2& b) {      \
    return __half2(a) op##= b;                                                          \
  }
// True when it holds for both elements.
#define __HIP_HALF2_COMPARISON(op)                                                      \
  friend __HOST_DEVICE__ bool operator op(const __half2& a, const __half2& b) {         \
    return a.x op b.x && a.y op b.y;                                                    \
  }
  __HIP_HALF2_ARITHMETIC(+)
  __HIP_HALF2_ARITHMETIC(-)
  __HIP_HALF2_ARITHMETIC(*)
  __HIP_HALF2_ARITHMETIC(/)
  __HIP_HALF2_COMPARISON(==)
  __HIP_HALF2_COMPARISON(<)
  __HIP_HALF2_COMPARISON(>)
  __HIP_HALF2_COMPARISON(<=)
  __HIP_HALF2_COMPARISON(>=)
#undef __HIP_HALF2_ARITHMETIC
#undef __HIP_HALF2_COMPARISON
  friend __HOST_DEVICE__ bool operator!=(const __half2& a, const __half2& b) { return !(a == b); }
  __HOST_DEVICE__ __half2 operator+() const { return *this; }
  __HOST_DEVICE__ __half2 operator-() const { return __half2(-data); }
  __HOST_DEVICE__ __half2& operator++() { return *this += _Float16_2{1, 1}; }
  __HOST_DEVICE__ __half2& operator--() { return *this -= _Float16_2{1, 1}; }
  __HOST_DEVICE__ __half2 operator++(int) {
    __half2 before(*this);
    ++*this;
    return before;
  }
  __HOST_DEVICE__ __half2 operator--(int) {
    __half2 before(*this);
    --*this;
    return before;
  }
#endif
#endif
};

typedef __half half;
typedef __half2 half2;
#endif
