#include "host/cpu_target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace vgpu {
namespace {

struct Known {
  const char* name;
  CpuTarget target;
};

constexpr Known kTargets[] = {
#define VGPU_KNOWN(target) {#target, CpuTarget::target},
    VGPU_CPU_TARGETS(VGPU_KNOWN)
#undef VGPU_KNOWN
};

[[noreturn]] void reject(const char* wanted, const char* why) {
  std::fprintf(stderr, "virtual MI300X: VROCM_CPU=%s %s; use", wanted, why);
  for (const Known& known : kTargets)
    std::fprintf(stderr, "%s%s", &known == kTargets ? " " : " or ", known.name);
  std::fprintf(stderr, "\n");
  std::_Exit(2);  // a queue's thread may read this: at exit, others would wait for it
}

CpuTarget choose() {
  const char* wanted = std::getenv("VROCM_CPU");
  for (const Known& known : kTargets) {
    if (!wanted || !*wanted) {
      if (has_cpu_target(known.target)) return known.target;
    } else if (std::strcmp(wanted, known.name) == 0) {
      if (!has_cpu_target(known.target)) reject(wanted, "is not supported by this processor");
      return known.target;
    }
  }
  reject(wanted, "is unknown");
}

}  // namespace

bool has_cpu_target(CpuTarget target) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (target == CpuTarget::avx512) return __builtin_cpu_supports("x86-64-v4");
  if (target == CpuTarget::avx2) return __builtin_cpu_supports("x86-64-v3");
#endif
  return target == CpuTarget::baseline;
}

CpuTarget cpu_target() {
  static const CpuTarget target = choose();
  return target;
}

}  // namespace vgpu
