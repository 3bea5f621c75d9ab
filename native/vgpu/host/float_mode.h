// The host's floating-point control register, and what it holds for device code.
#pragma once

#include <cstdint>

#include "host/cpu_target.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace vgpu {

// Indexed by the round field of the device's MODE: nearest, up, down, toward zero.
constexpr int kRoundings = 4;

#if defined(__x86_64__)

using FloatControl = unsigned;                        // MXCSR
constexpr FloatControl kDeviceFloatControl = 0x1f80;  // nearest, no traps, denormals kept
constexpr FloatControl kRoundMask = _MM_ROUND_MASK;
constexpr FloatControl kRound[kRoundings] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN,
                                             _MM_ROUND_TOWARD_ZERO};
VGPU_INLINE FloatControl float_control() { return _mm_getcsr(); }
VGPU_INLINE void set_float_control(FloatControl control) { _mm_setcsr(control); }

#else

using FloatControl = uint64_t;                   // FPCR
constexpr FloatControl kDeviceFloatControl = 0;  // nearest, no traps, denormals kept
constexpr FloatControl kRoundMask = 3u << 22;
constexpr FloatControl kRound[kRoundings] = {0u << 22, 1u << 22, 2u << 22, 3u << 22};
VGPU_INLINE FloatControl float_control() {
  FloatControl control;
  asm volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
  return control;
}
VGPU_INLINE void set_float_control(FloatControl control) {
  asm volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

#endif

}  // namespace vgpu
