// mfma [size]: C = A * B in half precision with the matrix instructions of CDNA.
// Lesson: one v_mfma_f32_16x16x16_f16 multiplies two 16 x 16 tiles per wave. Lane l holds row (of
// A) or column (of B) l % 16 at four values of k, and four rows of the result in column l % 16.
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

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float floatx4 __attribute__((ext_vector_type(4)));

__global__ void matmul_mfma(const _Float16* a, const _Float16* b, float* c, int n) {
  const int line = threadIdx.x % 16, part = threadIdx.x / 16 * 4;
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  floatx4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int k = 0; k < n; k += 16) {
    half4 of_a, of_b;
    for (int i = 0; i < 4; ++i) {
      of_a[i] = a[(row + line) * n + k + part + i];
      of_b[i] = b[(k + part + i) * n + column + line];
    }
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(of_a, of_b, sum, 0, 0, 0);
  }
  for (int i = 0; i < 4; ++i) c[(row + part + i) * n + column + line] = sum[i];
}

int main(int argc, char** argv) {
  const int n = (argc > 1 ? std::atoi(argv[1]) : 64) / 16 * 16;
  std::vector<_Float16> a(n * n), b(n * n);
  std::vector<float> c(n * n);
  // Small whole numbers are exact in half precision, and so are their sums in single.
  for (int i = 0; i < n * n; ++i) a[i] = i % 7 - 3, b[i] = i % 5 - 2;

  const size_t half_bytes = a.size() * sizeof(_Float16), bytes = c.size() * sizeof(float);
  _Float16 *da, *db;
  float* dc;
  HIP_CHECK(hipMalloc(&da, half_bytes));
  HIP_CHECK(hipMalloc(&db, half_bytes));
  HIP_CHECK(hipMalloc(&dc, bytes));
  HIP_CHECK(hipMemcpy(da, a.data(), half_bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(db, b.data(), half_bytes, hipMemcpyHostToDevice));
  matmul_mfma<<<dim3(n / 16, n / 16), 64>>>(da, db, dc, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(da));
  HIP_CHECK(hipFree(db));
  HIP_CHECK(hipFree(dc));

  int wrong = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k)
        sum += static_cast<float>(a[i * n + k]) * static_cast<float>(b[k * n + j]);
      wrong += c[i * n + j] != sum;
    }
  std::printf("%s mfma: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", n, n, wrong);
  return wrong != 0;
}
