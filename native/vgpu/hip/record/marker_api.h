// What the roctx libraries call when this library is in the process. They look the functions up
// by name, so that a program with roctx calls runs without HIP too.
#pragma once

#include <cstdint>

extern "C" {

void vrocm_hip_mark(const char* message);
int vrocm_hip_range_push(const char* message);        // returns the depth before the push
int vrocm_hip_range_pop(void);                        // returns the depth after it, or -1
uint64_t vrocm_hip_range_start(const char* message);  // returns the id of the range
void vrocm_hip_range_stop(uint64_t id);
void vrocm_hip_profiler(int resume);

}  // extern "C"

namespace vgpu::hip {

// Records the ranges that are still open: those of the process, and of this thread.
void close_ranges();

}  // namespace vgpu::hip
