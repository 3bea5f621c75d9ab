// Code that is compiled once per host instruction set, each time inside its own namespace
// VGPU_TARGET; the best one that this CPU has is picked at run time.
#pragma once

#ifndef VGPU_TARGET
#define VGPU_TARGET baseline
#endif

// The sets of this host, best first; what each is to the compiler is in CMakeLists.txt.
#if defined(__x86_64__)
#define VGPU_CPU_TARGETS(X) X(avx512) X(avx2) X(baseline)
#else
#define VGPU_CPU_TARGETS(X) X(baseline)
#endif

// What such code uses must be inlined: an out-of-line copy made for one instruction set could be
// picked for all.
#define VGPU_INLINE inline __attribute__((always_inline))

namespace vgpu {

enum class CpuTarget {
#define VGPU_NAME(target) target,
  VGPU_CPU_TARGETS(VGPU_NAME)
#undef VGPU_NAME
};

bool has_cpu_target(CpuTarget target);

// The best one, or what VROCM_CPU asks for; read once.
CpuTarget cpu_target();

}  // namespace vgpu
