// The same dispatch with other memory and shapes, many in one process: what the oracle asks.
#pragma once

#include "runtime.h"

namespace replay {

// Plays the scenes of the plan with its first variant. Folder N of the plan's dump gets the pages that
// scene N changed (its edits among them) and what was said meanwhile; a line of `scenes` there tells that
// it ended. A kernel that faults or does not end takes the process with it: the next scene has no line.
void play_scenes(const Plan& plan, const Runtime& runtime);

}  // namespace replay
