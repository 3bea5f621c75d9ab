// Half precision: __half, __half2, their operators, conversions and functions.
#pragma once

#include <hip/amd_detail/half_types.h>
#if defined(__cplusplus)
#include <hip/amd_detail/half_conversions.h>
#endif
#if __HIP_CLANG_ONLY__ && defined(__cplusplus)
#include <hip/amd_detail/half_functions.h>
#endif
