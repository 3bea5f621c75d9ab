// processes [COMMAND]: a kernel; with a command, that command and the kernel once more.
// processes exec PROGRAM: a kernel, then the program in the place of this one.
#include <hip/hip_runtime.h>

#include <unistd.h>

#include <cstdlib>

__global__ void work(float* x) {
  float a = x[threadIdx.x];
  for (int i = 0; i < 5000; ++i) a = a * 0.5f + 1;
  x[threadIdx.x] = a;
}

static bool ran(float* x) {
  work<<<1, 64>>>(x);
  return hipDeviceSynchronize() == hipSuccess;
}

int main(int count, char** words) {
  float* x = nullptr;
  if (hipMalloc(&x, 4096) != hipSuccess || !ran(x)) return 1;
  if (count < 2) return 0;
  if (count > 2) return execv(words[2], words + 2);
  return std::system(words[1]) == 0 && ran(x) ? 0 : 2;
}
