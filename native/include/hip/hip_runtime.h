// The HIP language and runtime: include this first.
#pragma once

// Sources lean on what ROCm's header brings along; <chrono> and <cstring> came with that of ROCm 6.
#ifdef __cplusplus
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#ifndef __HIPCC_RTC__
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#endif
#else
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#endif

#include <hip/hip_common.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>
#include <hip/hip_version.h>
#include <hip/library_types.h>

#if __HIP_CLANG_ONLY__ && defined(__cplusplus)
#include <hip/amd_detail/atomics.h>
#include <hip/amd_detail/conversions.h>
#include <hip/amd_detail/coordinates.h>
#include <hip/amd_detail/integer_intrinsics.h>
#include <hip/amd_detail/launch.h>
#include <hip/amd_detail/memory_functions.h>
#include <hip/amd_detail/synchronization.h>
#include <hip/amd_detail/texture_functions.h>
#include <hip/amd_detail/warp_functions.h>
#include <hip/amd_detail/warp_sync_functions.h>
#endif
