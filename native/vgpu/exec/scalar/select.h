// What the scalar handler files offer to select_scalar.
#pragma once

#include "exec/scalar/operands.h"
#include "exec/wave/handler_table.h"

namespace vgpu {
namespace VGPU_TARGET {

HandlerTable scalar_alu_handlers();       // SOP1, SOP2, SOPC, SOPK arithmetic
HandlerTable scalar_control_handlers();   // branches, program counter, exec forks, waiting
HandlerTable scalar_register_handlers();  // hardware registers, register-relative moves, indexing
HandlerTable scalar_memory_handlers();    // SMEM

}  // namespace VGPU_TARGET
}  // namespace vgpu
