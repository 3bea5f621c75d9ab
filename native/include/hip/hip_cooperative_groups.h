// Groups of threads that work together: grid, block, tile of a wave, and the lanes that are active.
#pragma once

#include <hip/hip_runtime.h>

#if __HIP_CLANG_ONLY__ && defined(__cplusplus)
#include <hip/amd_detail/group_kinds.h>
#include <hip/amd_detail/group_tiles.h>
#endif
