// The model speaks of the hardware's numbers as its own.
#pragma once

#include "arch/structure.h"

namespace vgpu {
namespace model {
using namespace arch;
}  // namespace model
}  // namespace vgpu
