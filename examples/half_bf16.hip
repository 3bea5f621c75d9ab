// half_bf16 [elements]: a dot product in half precision and in bfloat16.
// Lesson: half has packed arithmetic, two values per lane and instruction; bfloat16 has the range
// of float but is computed in single precision on CDNA 3. Both halve the memory traffic.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                     \
  do {                                                                                      \
    const hipError_t status_ = (call);                                                      \
    if (status_ != hipSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status_));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void dot_half(const __half2* a, const __half2* b, float* sum, int pairs) {
  __half2 mine = __float2half2_rn(0.0f);
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) mine = __hfma2(a[i], b[i], mine);
  atomicAdd(sum, __low2float(mine) + __high2float(mine));
}
__global__ void dot_bfloat16(const __hip_bfloat16* a, const __hip_bfloat16* b, float* sum, int n) {
  float mine = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    mine += __bfloat162float(a[i]) * __bfloat162float(b[i]);
  atomicAdd(sum, mine);
}

int main(int argc, char** argv) {
  const int n = (argc > 1 ? std::atoi(argv[1]) : 4096) / 2 * 2;
  std::vector<__half> ha(n), hb(n);
  std::vector<__hip_bfloat16> ba(n), bb(n);
  float expected = 0.0f;
  // Small whole numbers: exact in both formats, as are all partial sums.
  for (int i = 0; i < n; ++i) {
    const float x = i % 3 - 1, y = i % 5 - 2;
    ha[i] = __float2half(x), hb[i] = __float2half(y);
    ba[i] = __float2bfloat16(x), bb[i] = __float2bfloat16(y);
    expected += x * y;
  }

  const size_t bytes = n * sizeof(__half);
  __half2 *dha, *dhb;
  __hip_bfloat16 *dba, *dbb;
  float *dsums, sums[2];
  HIP_CHECK(hipMalloc(&dha, bytes));
  HIP_CHECK(hipMalloc(&dhb, bytes));
  HIP_CHECK(hipMalloc(&dba, bytes));
  HIP_CHECK(hipMalloc(&dbb, bytes));
  HIP_CHECK(hipMalloc(&dsums, sizeof(sums)));
  HIP_CHECK(hipMemset(dsums, 0, sizeof(sums)));
  HIP_CHECK(hipMemcpy(dha, ha.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(dhb, hb.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(dba, ba.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(dbb, bb.data(), bytes, hipMemcpyHostToDevice));
  dot_half<<<1, 256>>>(dha, dhb, dsums, n / 2);
  HIP_CHECK(hipGetLastError());
  dot_bfloat16<<<1, 256>>>(dba, dbb, dsums + 1, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(sums, dsums, sizeof(sums), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(dha));
  HIP_CHECK(hipFree(dhb));
  HIP_CHECK(hipFree(dba));
  HIP_CHECK(hipFree(dbb));
  HIP_CHECK(hipFree(dsums));

  const bool good = sums[0] == expected && sums[1] == expected;
  std::printf("%s half_bf16: half %g, bfloat16 %g, expected %g\n", good ? "PASS" : "FAIL", sums[0],
              sums[1], expected);
  return !good;
}
