// Code that is compiled once per host instruction set, each time inside its own namespace
// VGPU_TARGET; the best one that this CPU has is picked at run time.
#pragma once

#ifndef VGPU_TARGET
#define VGPU_TARGET baseline
#endif

// What such code uses must be inlined: an out-of-line copy made for one instruction set could be
// picked for all.
#define VGPU_INLINE inline __attribute__((always_inline))

namespace vgpu {

enum class CpuTarget { Avx512, Avx2, Baseline };  // best first

// The best one, or what VROCM_CPU asks for; read once.
CpuTarget cpu_target();

}  // namespace vgpu
