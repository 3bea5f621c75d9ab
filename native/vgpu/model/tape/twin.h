// Waves that are taped since they turned out to be long, and what they did before.
#pragma once

#include "model/tape/tape.h"

namespace vgpu {
namespace model {

// A wave that is taped late is represented by one of the same length that the host came to later, and
// is taped from the beginning. As far apart as the memory is that the two touch at the end, it is
// taken to be before.
void represent_late_waves(GroupTape& tape);

}  // namespace model
}  // namespace vgpu
