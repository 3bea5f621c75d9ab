#include "host/cpu_target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace vgpu {
namespace {

struct Known {
  const char* name;
  CpuTarget target;
  bool (*supported)();
};

bool has_avx2() { return __builtin_cpu_supports("x86-64-v3"); }
bool has_avx512() { return __builtin_cpu_supports("x86-64-v4"); }
bool always() { return true; }

constexpr Known kTargets[] = {
    // best first
    {"avx512", CpuTarget::Avx512, has_avx512},
    {"avx2", CpuTarget::Avx2, has_avx2},
    {"baseline", CpuTarget::Baseline, always},
};

[[noreturn]] void reject(const char* wanted, const char* why) {
  std::fprintf(stderr, "virtual MI300X: VROCM_CPU=%s %s; use avx512, avx2 or baseline\n", wanted,
               why);
  std::_Exit(2);  // a queue's thread may read this: at exit, others would wait for it
}

CpuTarget choose() {
  const char* wanted = std::getenv("VROCM_CPU");
  for (const Known& known : kTargets) {
    if (!wanted || !*wanted) {
      if (known.supported()) return known.target;
    } else if (std::strcmp(wanted, known.name) == 0) {
      if (!known.supported()) reject(wanted, "is not supported by this processor");
      return known.target;
    }
  }
  reject(wanted, "is unknown");
}

}  // namespace

CpuTarget cpu_target() {
  static const CpuTarget target = choose();
  return target;
}

}  // namespace vgpu
