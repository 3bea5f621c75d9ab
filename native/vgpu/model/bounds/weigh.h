// What an instruction asks of the parts of the hardware: the cycles that bounds are made of.
#pragma once

#include "observe/step_work.h"

namespace vgpu {
namespace model {

StepWork work_of(const Inst& inst);

}  // namespace model
}  // namespace vgpu
