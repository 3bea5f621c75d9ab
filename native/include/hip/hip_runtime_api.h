// The HIP 7 runtime API: every public function, type and flag. Plain C; C++ adds typed overloads.
#pragma once

#ifdef __cplusplus
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <utility>
#else
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#endif

#include <hip/amd_detail/api_device_types.h>
#include <hip/amd_detail/api_graph_types.h>
#include <hip/amd_detail/api_status.h>
#include <hip/amd_detail/api_types.h>
#include <hip/channel_descriptor.h>
#include <hip/driver_types.h>
#include <hip/hip_common.h>
#include <hip/hip_version.h>
#include <hip/linker_types.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>

// A program built with hidden visibility still imports these.
#pragma GCC visibility push(default)
#include <hip/amd_detail/api_array.h>
#include <hip/amd_detail/api_device.h>
#include <hip/amd_detail/api_graph.h>
#include <hip/amd_detail/api_interop.h>
#include <hip/amd_detail/api_memory.h>
#include <hip/amd_detail/api_module.h>
#include <hip/amd_detail/api_pool.h>
#include <hip/amd_detail/api_stream.h>
#include <hip/amd_detail/api_per_thread.h>
#pragma GCC visibility pop

#ifdef __cplusplus
#include <hip/amd_detail/api_templates.h>
#endif
