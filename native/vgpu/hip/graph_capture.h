// Stream capture: while it is on, submitted work becomes nodes of a graph instead of running.
#pragma once

#include <hip/hip_runtime_api.h>

#include "task.h"

namespace vgpu::hip {

class Event;
class Stream;

hipError_t capture_task(Stream& stream, TaskPtr task);
hipError_t capture_record(Stream& stream, Event& event);
// A wait for an event that was recorded during a capture joins the waiting stream to it.
// Returns false when the event has nothing to do with a capture.
bool capture_wait(Stream& stream, Event& event, hipError_t& status);

}  // namespace vgpu::hip
