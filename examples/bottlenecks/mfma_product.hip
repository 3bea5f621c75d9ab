// mfma_product: the largest of the products of each query with all candidates, by matrix
// instructions (the heart of a nearest neighbour search).
// Lesson: operands in registers and nothing but the result written keep the matrix units busy. This
// is what being limited by compute throughput looks like.
#include "example.h"

typedef float floatx16 __attribute__((ext_vector_type(16)));
constexpr int kThreads = 256, kBlocks = 608, kChecked = 1024;
constexpr int kQueries = kBlocks * kThreads / 2, kCandidates = 768, kDepth = 16;

__host__ __device__ float element(int k, int i) { return (k * 7 + i * 5) % 11 - 5; }

__global__ void fill(float* queries, float* candidates) {
  const int i = threadIdx.x, k = blockIdx.x;
  queries[k * kQueries + i] = element(k, 3 * i);
  if (i < kCandidates) candidates[k * kCandidates + i] = element(k, i);
}

__global__ void nearest(const float* queries, const float* candidates, float* best) {
  const int lane = threadIdx.x % 32, part = threadIdx.x / 32 % 2;
  const int query = (blockIdx.x * kThreads + threadIdx.x) / 64 * 32 + lane;
  const float* column = candidates + part * kCandidates + lane;
  float mine[kDepth / 2], next[kDepth / 2];
  for (int k = 0; k < kDepth / 2; ++k) mine[k] = queries[(2 * k + part) * kQueries + query];
  for (int k = 0; k < kDepth / 2; ++k) next[k] = column[2 * k * kCandidates];
  float largest = -1e30f;
  for (int first = 0; first < kCandidates; first += 32) {
    float now[kDepth / 2];
    for (int k = 0; k < kDepth / 2; ++k) now[k] = next[k];
    const int after = (first + 32) % kCandidates;  // loaded while the matrix unit works
    for (int k = 0; k < kDepth / 2; ++k) next[k] = column[2 * k * kCandidates + after];
    floatx16 products = {};
    for (int k = 0; k < kDepth / 2; ++k)
      products = __builtin_amdgcn_mfma_f32_32x32x2f32(now[k], mine[k], products, 0, 0, 0);
    for (int i = 0; i < 16; ++i) largest = fmaxf(largest, products[i]);
  }
  largest = fmaxf(largest, __shfl_xor(largest, 32));
  if (part == 0) best[query] = largest;
}

int main() {
  float* queries = device_array<float>(kQueries * kDepth);
  float* candidates = device_array<float>(kCandidates * kDepth);
  float* best = device_array<float>(kQueries);
  fill<<<kDepth, kChecked>>>(queries, candidates);
  nearest<<<kBlocks, kThreads>>>(queries, candidates, best);
  const auto result = sample(best, kChecked);
  int wrong = 0;
  for (int i = 0; i < kChecked; ++i) {
    float largest = -1e30f;
    for (int j = 0; j < kCandidates; ++j) {
      float product = 0.0f;
      for (int k = 0; k < kDepth; ++k) product += element(k, 3 * i) * element(k, j);
      largest = product > largest ? product : largest;
    }
    wrong += result[i] != largest;
  }
  HIP_CHECK(hipFree(queries));
  HIP_CHECK(hipFree(candidates));
  HIP_CHECK(hipFree(best));
  return report("mfma_product", wrong);
}
