// Kernel functions outside of mathematics; hip_runtime.h has them all.
#pragma once

#include <hip/hip_runtime.h>
