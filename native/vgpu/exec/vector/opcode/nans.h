// Which NaN is the result where sources are NaN.
#pragma once

#include "exec/vector/opcode/staged.h"

namespace vgpu {
namespace VGPU_TARGET {

// The floats inside an operand: itself, or the two of a packed one.
template <class T>
struct Floats {
  using F = T;
  static constexpr int count = 1;
  static VGPU_INLINE T get(T x, int) { return x; }
  static VGPU_INLINE void set(T& x, int, T v) { x = v; }
};
template <>
struct Floats<pkf> {
  using F = f32;
  static constexpr int count = 2;
  static VGPU_INLINE f32 get(pkf x, int k) { return k ? x.hi : x.lo; }
  static VGPU_INLINE void set(pkf& x, int k, f32 v) { (k ? x.hi : x.lo) = v; }
};
template <>
struct Floats<pkh> {
  using F = f16;
  static constexpr int count = 2;
  static VGPU_INLINE f16 get(pkh x, int k) { return f16{u16(x.bits >> (16 * k))}; }
  static VGPU_INLINE void set(pkh& x, int k, f16 v) {
    x.bits = (x.bits & (k ? 0xffffu : 0xffff0000u)) | u32(v.bits) << (16 * k);
  }
};

template <class T>
VGPU_INLINE bool has_nan(T x) {
  bool r = false;
  for (int k = 0; k < Floats<T>::count; ++k) {
    const auto f = Floats<T>::get(x, k);
    if constexpr (__is_same(decltype(f), const f16)) r |= is_nan(f);
    else r |= f != f;
  }
  return r;
}

template <class F>
VGPU_INLINE F first_nan(F fallback, int) {
  return fallback;
}
template <class F, class T, class... Rest>
VGPU_INLINE F first_nan(F fallback, int k, T x, Rest... rest) {
  if constexpr (__is_same(F, typename Floats<T>::F)) {
    const F f = Floats<T>::get(x, Floats<T>::count > 1 ? k : 0);
    if (is_nan(f)) return quieted(f);
  }
  return first_nan<F>(fallback, k, rest...);
}

// x86 and the device agree on quieting but not on which of several NaNs survives, and compilers
// commute operands: where a result is NaN, pick the source explicitly.
template <class O>
__attribute__((noinline)) void settle_nans(u32* result, Source a, Source b, Source c) {
  using D = typename O::D;
  using F = typename Floats<D>::F;
  for (int i = 0; i < kLanes; ++i) {
    D r = Lane<D>::load(result, i);
    for (int part = 0; part < Floats<D>::count; ++part)
      if (is_nan(Floats<D>::get(r, part)))
        Floats<D>::set(
            r, part,
            first_nan<F>(default_nan<F>(), part, source_lane<typename O::A>(a, i),
                         source_lane<typename O::B>(b, i), source_lane<typename O::C>(c, i)));
    Lane<D>::store(result, i, r);
  }
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
