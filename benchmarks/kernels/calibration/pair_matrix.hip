// The same number of FP16 operations with different matrix instructions: the doubled rate of the
// forms without blocks, the smaller form, and plain packed arithmetic. Names are pair:version.
#include "measure.h"

constexpr int kGroups = 304;  // one wave per SIMD
constexpr int kPasses = 48;

#define ACCUMULATORS                                                                               \
  "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "a13", "a14",   \
      "a15", "a16", "a17", "a18", "a19", "a20", "a21", "a22", "a23", "a24", "a25", "a26", "a27",   \
      "a28", "a29", "a30", "a31"
// Not unrolled: fetching the code should take no time worth mentioning.
#define LOOP(block)                                                                                \
  _Pragma("unroll 1") for (int pass = 0; pass < kPasses; ++pass)                                   \
      asm volatile(block ::: "v8", "v9", "v10", "v11", ACCUMULATORS)

// 8 x 16384 FLOP per wave and pass in each of them.
__global__ void matrix_32x32x8() {
  LOOP(".rept 4\n v_mfma_f32_32x32x8_f16 a[0:15], v[8:9], v[10:11], a[0:15]\n"
       "v_mfma_f32_32x32x8_f16 a[16:31], v[8:9], v[10:11], a[16:31]\n.endr");
}
__global__ void matrix_32x32x4_blocks() {
  LOOP(".rept 8\n v_mfma_f32_32x32x4_2b_f16 a[0:31], v[8:9], v[10:11], a[0:31]\n.endr");
}
__global__ void matrix_16x16x16() {
  LOOP(".rept 8\n v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3]\n"
       "v_mfma_f32_16x16x16_f16 a[4:7], v[8:9], v[10:11], a[4:7]\n.endr");
}
__global__ void packed_arithmetic() {
#pragma unroll 1
  for (int pass = 0; pass < kPasses * 16; ++pass)
    asm volatile(".rept 16\n v_pk_fma_f16 v8, v8, v9, v9\n v_pk_fma_f16 v10, v10, v11, v11\n.endr" :::
                     "v8", "v9", "v10", "v11");
}

template <class Kernel>
void measure(const char* name, Kernel kernel) {
  kernel<<<kGroups, 256>>>();
  launched(name, 8.0 * 16384 * kPasses * 4 * kGroups);
}

int main() {
  measure("matrix_rate:blocks", matrix_32x32x4_blocks);
  measure("matrix_rate:one_block", matrix_32x32x8);
  measure("matrix_shape:32x32x8", matrix_32x32x8);
  measure("matrix_shape:16x16x16", matrix_16x16x16);
  measure("matrix_core:packed_arithmetic", packed_arithmetic);
  measure("matrix_core:matrix", matrix_32x32x8);
}
