// HIP_vector_type<T, n>: the template behind float4 and its kin. The name is part of the ABI,
// because it appears in the mangled names of kernels.
#pragma once

#include <stddef.h>

#include <type_traits>

#if defined(__has_attribute)
#if __has_attribute(ext_vector_type)
#define __HIP_VECTORS_ARE_NATIVE__ 1
#endif
#endif

// Three elements are no native vector: that would be as large and as aligned as four.
#define __HIP_THREE_ASSIGN(op)                                        \
  __HOST_DEVICE__ __hip_three& operator op(const __hip_three& other) { \
    for (int i = 0; i < 3; ++i) d[i] op other.d[i];                   \
    return *this;                                                     \
  }
template <typename T>
struct __hip_three {
  T d[3];
  __HOST_DEVICE__ T& operator[](unsigned int i) { return d[i]; }
  __HOST_DEVICE__ const T& operator[](unsigned int i) const { return d[i]; }
  __HIP_THREE_ASSIGN(+=)
  __HIP_THREE_ASSIGN(-=)
  __HIP_THREE_ASSIGN(*=)
  __HIP_THREE_ASSIGN(/=)
  __HIP_THREE_ASSIGN(%=)
  __HIP_THREE_ASSIGN(^=)
  __HIP_THREE_ASSIGN(|=)
  __HIP_THREE_ASSIGN(&=)
  __HIP_THREE_ASSIGN(>>=)
  __HIP_THREE_ASSIGN(<<=)
};
#undef __HIP_THREE_ASSIGN

// The elements, and `data`, which is all of them. One argument fills every element.
#ifdef __HIP_VECTORS_ARE_NATIVE__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnested-anon-types"
#define __HIP_VECTOR_DATA(T, n) typedef T __attribute__((ext_vector_type(n))) Native_vec_
#else
#define __HIP_VECTOR_DATA(T, n) typedef T Native_vec_[n]
#endif

template <typename T, unsigned int n>
struct HIP_vector_base;

// Vectors of 1 and 3 are as aligned as their elements, those of 2 and 4 as their whole.
template <typename T>
struct HIP_vector_base<T, 1> {
  using value_type = T;
  __HIP_VECTOR_DATA(T, 1);
  union {
    Native_vec_ data;
    __extension__ struct {
      T x;
    };
  };
  HIP_vector_base() = default;
  __host__ __device__ explicit constexpr HIP_vector_base(T x_) : x(x_) {}
};
template <typename T>
struct alignas(2 * sizeof(T)) HIP_vector_base<T, 2> {
  using value_type = T;
  __HIP_VECTOR_DATA(T, 2);
  union {
    Native_vec_ data;
    __extension__ struct {
      T x, y;
    };
  };
  HIP_vector_base() = default;
  __host__ __device__ explicit constexpr HIP_vector_base(T x_) : HIP_vector_base(x_, x_) {}
  __host__ __device__ constexpr HIP_vector_base(T x_, T y_) : x(x_), y(y_) {}
};
template <typename T>
struct HIP_vector_base<T, 3> {
  using value_type = T;
  using Native_vec_ = __hip_three<T>;
  union {
    Native_vec_ data;
    __extension__ struct {
      T x, y, z;
    };
  };
  HIP_vector_base() = default;
  __host__ __device__ explicit constexpr HIP_vector_base(T x_) : HIP_vector_base(x_, x_, x_) {}
  __host__ __device__ constexpr HIP_vector_base(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
};
template <typename T>
struct alignas(4 * sizeof(T)) HIP_vector_base<T, 4> {
  using value_type = T;
  __HIP_VECTOR_DATA(T, 4);
  union {
    Native_vec_ data;
    __extension__ struct {
      T x, y, z, w;
    };
  };
  HIP_vector_base() = default;
  __host__ __device__ explicit constexpr HIP_vector_base(T x_)
      : HIP_vector_base(x_, x_, x_, x_) {}
  __host__ __device__ constexpr HIP_vector_base(T x_, T y_, T z_, T w_)
      : x(x_), y(y_), z(z_), w(w_) {}
};
#undef __HIP_VECTOR_DATA
#ifdef __HIP_VECTORS_ARE_NATIVE__
#pragma clang diagnostic pop
#define __HIP_VECTOR_APPLY(op) this->data op other.data
#else
#define __HIP_VECTOR_APPLY(op) \
  for (unsigned int i = 0; i < n; ++i) (*this)[i] op other[i]
#endif

// Compound assignment, element by element; the second form takes a scalar.
#define __HIP_VECTOR_ASSIGN(op)                                                     \
  __HOST_DEVICE__ HIP_vector_type& operator op(const HIP_vector_type& other) {      \
    __HIP_VECTOR_APPLY(op);                                                         \
    return *this;                                                                   \
  }                                                                                 \
  template <typename U,                                                             \
            typename std::enable_if<std::is_convertible<U, T>::value>::type* = nullptr> \
  __HOST_DEVICE__ HIP_vector_type& operator op(U scalar) {                          \
    return *this op HIP_vector_type(scalar);                                        \
  }
#define __HIP_VECTOR_ASSIGN_INTEGER(op)                                             \
  template <typename U = T, typename std::enable_if<std::is_integral<U>::value>::type* = nullptr> \
  __HOST_DEVICE__ HIP_vector_type& operator op(const HIP_vector_type& other) {      \
    __HIP_VECTOR_APPLY(op);                                                         \
    return *this;                                                                   \
  }

template <typename T, unsigned int n>
struct HIP_vector_type : public HIP_vector_base<T, n> {
  HIP_vector_type() = default;
  template <typename U, typename std::enable_if<std::is_convertible<U, T>::value>::type* = nullptr>
  __host__ __device__ explicit constexpr HIP_vector_type(U x_)
      : HIP_vector_base<T, n>(static_cast<T>(x_)) {}
  template <typename... Us,
            typename std::enable_if<(n > 1) && sizeof...(Us) == n>::type* = nullptr>
  __host__ __device__ constexpr HIP_vector_type(Us... xs)
      : HIP_vector_base<T, n>(static_cast<T>(xs)...) {}

  __HOST_DEVICE__ T& operator[](size_t i) { return reinterpret_cast<T*>(this)[i]; }
  __HOST_DEVICE__ const T& operator[](size_t i) const {
    return reinterpret_cast<const T*>(this)[i];
  }

  __HIP_VECTOR_ASSIGN(+=)
  __HIP_VECTOR_ASSIGN(-=)
  __HIP_VECTOR_ASSIGN(*=)
  __HIP_VECTOR_ASSIGN(/=)
  __HIP_VECTOR_ASSIGN_INTEGER(%=)
  __HIP_VECTOR_ASSIGN_INTEGER(^=)
  __HIP_VECTOR_ASSIGN_INTEGER(|=)
  __HIP_VECTOR_ASSIGN_INTEGER(&=)
  __HIP_VECTOR_ASSIGN_INTEGER(>>=)
  __HIP_VECTOR_ASSIGN_INTEGER(<<=)

  __HOST_DEVICE__ HIP_vector_type& operator++() { return *this += HIP_vector_type(1); }
  __HOST_DEVICE__ HIP_vector_type& operator--() { return *this -= HIP_vector_type(1); }
  __HOST_DEVICE__ HIP_vector_type operator++(int) {
    HIP_vector_type before(*this);
    ++*this;
    return before;
  }
  __HOST_DEVICE__ HIP_vector_type operator--(int) {
    HIP_vector_type before(*this);
    --*this;
    return before;
  }
  template <typename U = T, typename std::enable_if<std::is_signed<U>::value>::type* = nullptr>
  __HOST_DEVICE__ HIP_vector_type operator-() const {
    HIP_vector_type negative;
    for (unsigned int i = 0; i < n; ++i) negative[i] = -(*this)[i];
    return negative;
  }
  template <typename U = T, typename std::enable_if<std::is_integral<U>::value>::type* = nullptr>
  __HOST_DEVICE__ HIP_vector_type operator~() const {
    HIP_vector_type inverted;
    for (unsigned int i = 0; i < n; ++i) inverted[i] = ~(*this)[i];
    return inverted;
  }

  // Not templates, so that a braced list converts to the other operand.
  friend __HOST_DEVICE__ HIP_vector_type operator*(HIP_vector_type a, const HIP_vector_type& b) {
    return a *= b;
  }
  friend __HOST_DEVICE__ HIP_vector_type operator/(HIP_vector_type a, const HIP_vector_type& b) {
    return a /= b;
  }
};
#undef __HIP_VECTOR_APPLY
#undef __HIP_VECTOR_ASSIGN
#undef __HIP_VECTOR_ASSIGN_INTEGER

#define __HIP_VECTOR_PAIR(op, Condition)                                                     \
  template <typename T, unsigned int n, typename std::enable_if<Condition>::type* = nullptr> \
  __HOST_DEVICE__ HIP_vector_type<T, n> operator op(const HIP_vector_type<T, n>& a,          \
                                                    const HIP_vector_type<T, n>& b) {        \
    return HIP_vector_type<T, n>(a) op##= b;                                                 \
  }
#define __HIP_VECTOR_SCALAR(op, Condition)                                                   \
  template <typename T, unsigned int n, typename U,                                          \
            typename std::enable_if<Condition>::type* = nullptr>                             \
  __HOST_DEVICE__ HIP_vector_type<T, n> operator op(const HIP_vector_type<T, n>& a, U b) {   \
    return HIP_vector_type<T, n>(a) op##= HIP_vector_type<T, n>(b);                          \
  }                                                                                          \
  template <typename T, unsigned int n, typename U,                                          \
            typename std::enable_if<Condition>::type* = nullptr>                             \
  __HOST_DEVICE__ HIP_vector_type<T, n> operator op(U a, const HIP_vector_type<T, n>& b) {   \
    return HIP_vector_type<T, n>(a) op##= b;                                                 \
  }
__HIP_VECTOR_PAIR(+, true)
__HIP_VECTOR_PAIR(-, true)
__HIP_VECTOR_PAIR(%, std::is_integral<T>::value)
__HIP_VECTOR_PAIR(^, std::is_integral<T>::value)
__HIP_VECTOR_PAIR(|, std::is_integral<T>::value)
__HIP_VECTOR_PAIR(&, std::is_integral<T>::value)
__HIP_VECTOR_PAIR(>>, std::is_integral<T>::value)
__HIP_VECTOR_PAIR(<<, std::is_integral<T>::value)
__HIP_VECTOR_SCALAR(+, true)
__HIP_VECTOR_SCALAR(-, true)
__HIP_VECTOR_SCALAR(*, true)
__HIP_VECTOR_SCALAR(/, true)
__HIP_VECTOR_SCALAR(%, std::is_integral<T>::value)
__HIP_VECTOR_SCALAR(^, std::is_integral<T>::value)
__HIP_VECTOR_SCALAR(|, std::is_integral<T>::value)
__HIP_VECTOR_SCALAR(&, std::is_integral<T>::value)
__HIP_VECTOR_SCALAR(>>, std::is_integral<T>::value)
__HIP_VECTOR_SCALAR(<<, std::is_integral<T>::value)
#undef __HIP_VECTOR_PAIR
#undef __HIP_VECTOR_SCALAR

template <typename T, unsigned int n>
__HOST_DEVICE__ bool operator==(const HIP_vector_type<T, n>& a, const HIP_vector_type<T, n>& b) {
  bool equal = true;
  for (unsigned int i = 0; i < n; ++i) equal = equal && a[i] == b[i];
  return equal;
}
template <typename T, unsigned int n>
__HOST_DEVICE__ bool operator!=(const HIP_vector_type<T, n>& a, const HIP_vector_type<T, n>& b) {
  return !(a == b);
}
#define __HIP_VECTOR_COMPARE(op)                                                 \
  template <typename T, unsigned int n, typename U>                              \
  __HOST_DEVICE__ bool operator op(const HIP_vector_type<T, n>& a, U b) {        \
    return a op HIP_vector_type<T, n>(b);                                        \
  }                                                                              \
  template <typename T, unsigned int n, typename U>                              \
  __HOST_DEVICE__ bool operator op(U a, const HIP_vector_type<T, n>& b) {        \
    return HIP_vector_type<T, n>(a) op b;                                        \
  }
__HIP_VECTOR_COMPARE(==)
__HIP_VECTOR_COMPARE(!=)
#undef __HIP_VECTOR_COMPARE
