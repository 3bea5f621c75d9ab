// float4 and its kin: construction and arithmetic, the same on the host and on the device.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <type_traits>

namespace vector_test {

constexpr int kOperations = 22;

// Sums an element-wise checksum of one operation; the reference does it with plain scalars.
template <class Vector>
__host__ __device__ double checksum(const Vector& v, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 3 + static_cast<double>(v.data[i]);
  return sum;
}

template <class T, unsigned int n>
__host__ __device__ double integer_operation(int which, HIP_vector_type<T, n> a,
                                             HIP_vector_type<T, n> b, T s) {
  using V = HIP_vector_type<T, n>;
  switch (which) {
    case 14: return checksum(a % b, n);
    case 15: return checksum(a ^ b, n);
    case 16: return checksum(a | s, n);
    case 17: return checksum(s & b, n);
    case 18: return checksum(a << V(1), n);
    case 19: return checksum(a >> 1, n);
    case 20: return checksum(~a, n);
    default: return checksum(a %= b, n);
  }
}
template <class T, unsigned int n>
__host__ __device__ double operation(int which) {
  using V = HIP_vector_type<T, n>;
  const T s = 3;
  // One argument fills every element, as clr's amd_hip_vector_types.h did up to ROCm 6.4
  // (`data{x_, x_}`). Since ROCm 7.0 (`HIP_vector_base(T x_, T y_ = T())`; "HIP API 7.0 changes",
  // HIP vector constructor change) the others are 0 there, also of hipFloatComplex, which is
  // float2; a scalar operand of + - * / still counts for every element.
  V a(T(20)), b{T(7)};
  for (unsigned int i = 0; i < n; ++i) b.data[i] = T(b.data[i] - T(i));
  switch (which) {
    case 0: return checksum(a, n);
    case 1: return checksum(b, n);
    case 2: return checksum(a + b, n);
    case 3: return checksum(a - b, n);
    case 4: return checksum(a * b, n);
    case 5: return checksum(a / b, n);
    case 6: return checksum(a + s, n);
    case 7: return checksum(s * b, n);
    case 8: return checksum(a / s, n);
    case 9: return checksum(++a, n) + checksum(b--, n) * 100 + checksum(b, n) * 10000;
    case 10: return checksum(a += s, n) + checksum(b *= b, n) * 100;
    case 11: return (a == V(20)) + 2 * (a != V(20)) + 4 * (a == b) + 8 * (b == 7);
    case 12: return a.x + 10 * (&a.x == reinterpret_cast<T*>(&a));
    case 13: return checksum(V(1) - V(2.0), n);
    default:
      if constexpr (std::is_integral<T>::value) return integer_operation(which, a, b, s);
      return 0;
  }
}

// The same by hand, element by element.
template <class T>
double by_hand(int which, int n) {
  const auto sum = [n](auto element) {
    double total = 0;
    for (int i = 0; i < n; ++i) total = total * 3 + static_cast<double>(static_cast<T>(element(i)));
    return total;
  };
  const auto b = [](int i) { return T(7 - i); };
  const bool equal = n == 1;
  if (which >= 14 && T(0.5) != 0) return 0;
  switch (which) {
    case 0: return sum([](int) { return T(20); });
    case 1: return sum(b);
    case 2: return sum([&](int i) { return T(20) + b(i); });
    case 3: return sum([&](int i) { return T(20) - b(i); });
    case 4: return sum([&](int i) { return T(20) * b(i); });
    case 5: return sum([&](int i) { return T(20) / b(i); });
    case 6: return sum([](int) { return T(23); });
    case 7: return sum([&](int i) { return T(3) * b(i); });
    case 8: return sum([](int) { return T(20) / T(3); });
    case 9: return sum([](int) { return T(21); }) + sum(b) * 100 +
                   sum([&](int i) { return b(i) - T(1); }) * 10000;
    case 10: return sum([](int) { return T(23); }) + sum([&](int i) { return b(i) * b(i); }) * 100;
    case 11: return 1 + 8 * equal;
    case 12: return 30;
    case 13: return sum([](int) { return T(-1); });
    case 14: return sum([&](int i) { return 20 % static_cast<int>(b(i)); });
    case 15: return sum([&](int i) { return 20 ^ static_cast<int>(b(i)); });
    case 16: return sum([](int) { return 20 | 3; });
    case 17: return sum([&](int i) { return 3 & static_cast<int>(b(i)); });
    case 18: return sum([](int) { return 40; });
    case 19: return sum([](int) { return 10; });
    case 20: return sum([](int) { return static_cast<T>(-21ll); });
    default: return sum([&](int i) { return 20 % static_cast<int>(b(i)); });
  }
}

template <class T, unsigned int n>
__global__ void operations(double* out) {
  for (int i = 0; i < kOperations; ++i) out[i] = operation<T, n>(i);
}

template <class T, unsigned int n>
int mismatches(const char* type) {
  double got[kOperations], *device;
  if (hipMalloc(&device, sizeof(got)) != hipSuccess) return 1;
  operations<T, n><<<1, 1>>>(device);
  if (hipMemcpy(got, device, sizeof(got), hipMemcpyDeviceToHost) != hipSuccess) return 1;
  (void)hipFree(device);
  int wrong = 0;
  for (int i = 0; i < kOperations; ++i) {
    const double want = by_hand<T>(i, n), host = operation<T, n>(i);
    if (got[i] == want && host == want) continue;
    ++wrong;
    std::printf("vectors %s%u operation %d: device %g, host %g, expected %g\n", type, n, i, got[i],
                host, want);
  }
  return wrong;
}

template <class T>
int every_size(const char* type) {
  return mismatches<T, 1>(type) + mismatches<T, 2>(type) + mismatches<T, 3>(type) +
         mismatches<T, 4>(type);
}

// How large and how aligned they are is part of the ABI of kernels.
template <class T>
constexpr bool laid_out() {
  return sizeof(HIP_vector_type<T, 1>) == sizeof(T) && alignof(HIP_vector_type<T, 1>) == alignof(T) &&
         alignof(HIP_vector_type<T, 2>) == 2 * sizeof(T) &&
         sizeof(HIP_vector_type<T, 3>) == 3 * sizeof(T) &&
         alignof(HIP_vector_type<T, 3>) == alignof(T) &&
         alignof(HIP_vector_type<T, 4>) == 4 * sizeof(T);
}
static_assert(laid_out<char>() && laid_out<unsigned short>() && laid_out<int>() &&
              laid_out<long long>() && laid_out<float>() && laid_out<double>(), "");
constexpr float4 constant(1.5f);
static_assert(constant.x == 1.5f && constant.w == 1.5f, "");

inline int check_all() {
  return every_size<char>("char") + every_size<unsigned short>("ushort") + every_size<int>("int") +
         every_size<unsigned long long>("ulonglong") + every_size<float>("float") +
         every_size<double>("double");
}

}  // namespace vector_test
