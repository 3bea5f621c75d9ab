// Chooses the handlers compiled for the best instruction set of this host.
#include "exec/memory/addresses.h"
#include "exec/wave/handlers.h"

namespace vgpu {

#define VGPU_DECLARE(target)                 \
  namespace target {                         \
  ExecFn select_scalar(const Inst& inst);    \
  ExecFn select_vector(const Inst& inst);    \
  ExecFn select_matrix(const Inst& inst);    \
  ExecFn select_memory(const Inst& inst);    \
  extern const LaneAddresses kLaneAddresses; \
  }
VGPU_CPU_TARGETS(VGPU_DECLARE)
#undef VGPU_DECLARE

namespace {

using Select = ExecFn (*)(const Inst&);

struct Parts {
  Select selects[4];
  const LaneAddresses* lane_addresses;
};

#define VGPU_PARTS(target)                                                                       \
  {{target::select_scalar, target::select_vector, target::select_matrix, target::select_memory}, \
   &target::kLaneAddresses},
constexpr Parts kParts[] = {VGPU_CPU_TARGETS(VGPU_PARTS)};
#undef VGPU_PARTS

const Parts& chosen() {
  static const Parts& parts = kParts[int(cpu_target())];
  return parts;
}

}  // namespace

void bind(Inst& inst) {
  inst.exec = nullptr;
  for (Select select : chosen().selects) {
    inst.exec = select(inst);
    if (inst.exec) return;
  }
}

const LaneAddresses& lane_addresses() { return *chosen().lane_addresses; }

}  // namespace vgpu
