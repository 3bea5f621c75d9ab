// Kernels whose registers or LDS bound how many waves a CU holds, on a device that is kept full.
#include "measure.h"


// Keeps the wave for a million cycles and the host for few instructions.
__device__ __forceinline__ void work() { asm volatile(".rept 128\n s_sleep 127\n .endr"); }

// 124 vector registers and 4 accumulation registers: 4 waves per SIMD.
__global__ void vgpr_bound() {
  asm volatile("" ::: "v123", "a3");
  work();
}

// All of the LDS: one workgroup of 4 waves per CU.
__global__ void lds_bound(int* out) {
  __shared__ int all[65536 / 4];
  all[threadIdx.x] = int(threadIdx.x);
  __syncthreads();
  work();
  if (all[threadIdx.x ^ 1] < 0) *out = 1;
}

// 80 scalar registers still allow 8 waves per SIMD, 96 only 7.
__global__ void sgpr_bound() {
  asm volatile("" ::: "s73");
  work();
}
__global__ void sgpr_limited() {
  asm volatile("" ::: "s89");
  work();
}

int main() {
  int* out = device_array<int>(1);
  const int groups = 304 * 8 * 4;
  vgpr_bound<<<groups, 256>>>();
  launched("vgpr_bound", groups);
  lds_bound<<<groups / 8, 256>>>(out);
  launched("lds_bound", groups / 8);
  sgpr_bound<<<groups, 256>>>();
  launched("sgpr_bound", groups);
  sgpr_limited<<<groups, 256>>>();
  launched("sgpr_limited", groups);
}
