// Mathematical functions for kernels come from the compiler's own HIP headers.
#pragma once

#include <hip/hip_runtime.h>
