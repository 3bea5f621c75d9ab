// Chooses the handlers compiled for the best instruction set of this host.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../model/lane_loops.h"
#include "handlers.h"

namespace vgpu {

#define VGPU_DECLARE(target)                \
  namespace target {                        \
  ExecFn select_scalar(const Inst& inst);   \
  ExecFn select_vector(const Inst& inst);   \
  ExecFn select_matrix(const Inst& inst);   \
  ExecFn select_memory(const Inst& inst);   \
  extern const model::LaneLoops kLaneLoops; \
  }
VGPU_DECLARE(baseline)
VGPU_DECLARE(avx2)
VGPU_DECLARE(avx512)
#undef VGPU_DECLARE

namespace {

using Select = ExecFn (*)(const Inst&);

struct Target {
  const char* name;
  bool (*supported)();
  Select selects[4];
  const model::LaneLoops* lane_loops;
};

bool has_avx2() { return __builtin_cpu_supports("x86-64-v3"); }
bool has_avx512() { return __builtin_cpu_supports("x86-64-v4"); }
bool always() { return true; }

#define VGPU_PARTS(target)                                                                       \
  {target::select_scalar, target::select_vector, target::select_matrix, target::select_memory}, \
      &target::kLaneLoops
constexpr Target kTargets[] = {  // best first
    {"avx512", has_avx512, VGPU_PARTS(avx512)},
    {"avx2", has_avx2, VGPU_PARTS(avx2)},
    {"baseline", always, VGPU_PARTS(baseline)},
};
#undef VGPU_PARTS

[[noreturn]] void reject(const char* wanted, const char* why) {
  std::fprintf(stderr, "virtual MI300X: VROCM_CPU=%s %s; use avx512, avx2 or baseline\n", wanted,
               why);
  std::_Exit(2);  // a queue's thread may read this: at exit, others would wait for it
}

const Target& choose() {
  const char* wanted = std::getenv("VROCM_CPU");
  for (const Target& target : kTargets) {
    if (!wanted || !*wanted) {
      if (target.supported()) return target;
    } else if (std::strcmp(wanted, target.name) == 0) {
      if (!target.supported()) reject(wanted, "is not supported by this processor");
      return target;
    }
  }
  reject(wanted, "is unknown");
}

const Target& chosen() {
  static const Target& target = choose();
  return target;
}

}  // namespace

void bind(Inst& inst) {
  inst.exec = nullptr;
  for (Select select : chosen().selects)
    if ((inst.exec = select(inst))) return;
}

const model::LaneLoops& model::lane_loops() { return *chosen().lane_loops; }

}  // namespace vgpu
