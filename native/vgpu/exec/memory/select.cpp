// Finds the handler of a vector memory or LDS instruction.
#include "exec/memory/select.h"

namespace vgpu {
namespace VGPU_TARGET {

ExecFn select_memory(const Inst& inst) {
  if (inst.format == Format::MUBUF && inst.lds) {
    const HandlerTable table = buffer_lds_handlers();
    return find_handler(&table, 1, inst.op);
  }
  const HandlerTable tables[] = {global_memory_handlers(), lds_memory_handlers(),
                                 lds_lane_handlers(), buffer_memory_handlers(),
                                 typed_memory_handlers()};
  return find_handler(tables, 5, inst.op);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
