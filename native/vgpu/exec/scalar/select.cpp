// Finds the handler of a scalar instruction.
#include "exec/scalar/select.h"

namespace vgpu {
namespace VGPU_TARGET {

ExecFn select_scalar(const Inst& inst) {
  const HandlerTable tables[] = {scalar_alu_handlers(), scalar_control_handlers(),
                                 scalar_register_handlers(), scalar_memory_handlers()};
  return find_handler(tables, 4, inst.op);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
