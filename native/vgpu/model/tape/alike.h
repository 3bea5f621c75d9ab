// Workgroups that did the same: the same steps and accesses, with about as many lines and cycles of
// the LDS. Only where their memory lies may differ. One of them shows when the others' steps leave.
#pragma once

#include <cstdint>
#include <vector>

#include "model/tape/tape.h"

namespace vgpu {
namespace model {

bool are_alike(const GroupTape& a, const GroupTape& b);

// Of each tape, whether it is like the one before it.
std::vector<uint8_t> like_the_one_before(const std::vector<GroupTape>& tapes);

// Most lines of a workgroup are touched by others, too, earlier or later than it does: who comes first
// waits for them, and those behind catch up.
bool follow_each_other(const std::vector<GroupTape>& tapes);

}  // namespace model
}  // namespace vgpu
