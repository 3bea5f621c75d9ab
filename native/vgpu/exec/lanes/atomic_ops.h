// Read-modify-write operations on one memory word. `next` gives the new value of the word from the
// old one and up to two operands, all as raw bits.
#pragma once

#include "exec/lanes/atomic_float.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace atomic_op {

template <class T>
using Signed = typename std::make_signed<T>::type;

#define VGPU_ATOMIC(name, expression)            \
  struct name {                                  \
    template <class T>                           \
    static VGPU_INLINE T next(T old, T a, T b) { \
      (void)old, (void)a, (void)b;               \
      return T(expression);                      \
    }                                            \
  };

VGPU_ATOMIC(Swap, a)
VGPU_ATOMIC(CompareSwap, old == b ? a : old)   // memory formats: data, then comparand
VGPU_ATOMIC(CompareStore, old == a ? b : old)  // DS: comparand, then data
VGPU_ATOMIC(Add, old + a)
VGPU_ATOMIC(Sub, old - a)
VGPU_ATOMIC(ReverseSub, a - old)
VGPU_ATOMIC(SMin, Signed<T>(a) < Signed<T>(old) ? a : old)
VGPU_ATOMIC(SMax, Signed<T>(a) > Signed<T>(old) ? a : old)
VGPU_ATOMIC(UMin, a < old ? a : old)
VGPU_ATOMIC(UMax, a > old ? a : old)
VGPU_ATOMIC(And, old& a)
VGPU_ATOMIC(Or, old | a)
VGPU_ATOMIC(Xor, old ^ a)
VGPU_ATOMIC(Inc, old >= a ? 0 : old + 1)
VGPU_ATOMIC(Dec, old == 0 || old > a ? a : old - 1)
VGPU_ATOMIC(MaskOr, (old & ~a) | b)
VGPU_ATOMIC(Wrap, old >= a ? old - a : old + b)
VGPU_ATOMIC(FAdd, float_add(old, a))
VGPU_ATOMIC(FMin, float_less(a, old) || bits_are_nan(old) ? a : old)
VGPU_ATOMIC(FMax, float_less(old, a) || bits_are_nan(old) ? a : old)
VGPU_ATOMIC(FCompareStore, float_equal(old, a) ? b : old)
VGPU_ATOMIC(PackedAddF16, pair_add_f16(old, a))
VGPU_ATOMIC(PackedAddBF16, pair_add_bf16(old, a))
#undef VGPU_ATOMIC

// Two dwords at once, each replaced when the top bit of its operand is set, without that bit.
struct ConditionalExchange {
  template <class T>
  static VGPU_INLINE T next(T old, T with, T) {
    static_assert(sizeof(T) == 8, "works on a pair of dwords");
    constexpr T kLow = 0xffff'ffff, kTop = 0x8000'0000;
    T low = with & kTop ? with & (kTop - 1) : old & kLow;
    T high = with >> 32 & kTop ? with >> 32 & (kTop - 1) : old >> 32;
    return low | high << 32;
  }
};

}  // namespace atomic_op

// Applies F to a word that other host threads may use too; returns the old value.
template <class F, class T>
VGPU_INLINE T modify_shared(T* word, T a, T b) {
  T old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, F::template next<T>(old, a, b), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

// The same for memory that only this host thread touches: LDS and private memory.
template <class F, class T>
VGPU_INLINE T modify_own(T* word, T a, T b) {
  T old = *word;
  *word = F::template next<T>(old, a, b);
  return old;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
