// Markers and ranges, and the application's control over the profiler.
#pragma once

#include <roctracer/roctx.h>
#include <stdint.h>

typedef uint64_t roctx_thread_id_t;

#ifdef __cplusplus
extern "C" {
#endif

int roctxProfilerPause(roctx_thread_id_t tid);
int roctxProfilerResume(roctx_thread_id_t tid);
int roctxNameOsThread(const char* name);
int roctxGetThreadId(roctx_thread_id_t* tid);

#ifdef __cplusplus
}
#endif
