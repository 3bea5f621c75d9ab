// bfloat16: __hip_bfloat16, __hip_bfloat162, their operators, conversions and functions.
#pragma once

#include <hip/amd_detail/bfloat16_types.h>
#if __HIP_CLANG_ONLY__
#include <hip/amd_detail/bfloat16_functions.h>
#endif
