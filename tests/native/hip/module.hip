// A code object for hipModuleLoad.
#include <hip/hip_runtime.h>

extern "C" __device__ int answer = 42;
extern "C" __global__ void twice(int* values) { values[threadIdx.x] *= 2; }
