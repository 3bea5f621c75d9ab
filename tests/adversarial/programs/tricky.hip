// Valid HIP that is hard to read without a compiler: macros, templates, linkage, raw strings,
// comment signs in strings, directives in a body. The controls of this corpus change it.
#include <hip/hip_runtime.h>

#include <cstdio>

#define BLOCK 128
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define BRACES { }
#define NAME(x) x##_kernel

static const char* const kText = R"x(__global__ void fake(float* out) { out[0] = 1; } // ")x";
static const char* const kUrl = "https://example.org/*not a comment*/ }{";

namespace deep {
namespace er {
template <class T, int Step = 1>
__global__ void __launch_bounds__(BLOCK, 2) fill(T* __restrict__ out, T value, int n) {
  // __global__ void not_me() { }
  const int i = INDEX * Step;
  if (i < n) out[i] = value /* } */;
}
}  // namespace er
}  // namespace deep

__global__ void forward(float* out, int n);

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void twice(float* out,
                                                                                     int n) {
#ifdef NEVER_DEFINED
  out[0] = '}';
#else
  const int i = INDEX;
#endif
#pragma unroll
  for (int step = 0; step < 2; ++step) {
    if (i < n) out[i] += out[i];
    else BRACES
  }
}

__global__ void forward(float* out, int n) {
  const char open = '{';
  const int i = INDEX;
  if (i < n && open == '\x7b') out[i] -= 1.0f;
}

__global__ void NAME(made)(float* out, int n) <%
  if (INDEX < n) out<:INDEX:> *= 0.5f;
%>

#define WHOLE(name) \
  __global__ void name(float* out) { out[threadIdx.x] += 3.0f; }
WHOLE(generated)

int main() {
  const int n = 1000, blocks = (n + BLOCK - 1) / BLOCK;
  float* out = nullptr;
  if (hipMalloc(&out, n * sizeof(float)) != hipSuccess) return 2;
  deep::er::fill<float><<<blocks, BLOCK>>>(out, 2.0f, n);
  twice<<<blocks, BLOCK>>>(out, n);
  forward<<<blocks, BLOCK>>>(out, n);
  made_kernel<<<blocks, BLOCK>>>(out, n);
  generated<<<1, BLOCK>>>(out);
  float last = 0.0f;
  if (hipMemcpy(&last, out + n - 1, sizeof last, hipMemcpyDeviceToHost) != hipSuccess) return 2;
  std::printf("%s %c%c\n", last == 3.5f ? "PASS" : "FAIL", kText[0], kUrl[0]);
  return last != 3.5f;
}
