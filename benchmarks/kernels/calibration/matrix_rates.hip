// The main shapes of the matrix instructions on a full device, two independent chains per wave. Three
// launches per shape, the last with twice the passes. The amount is instructions, not operations.
#include "measure.h"

constexpr int kUnroll = 16;  // pairs per pass
constexpr int kGroups = 304 * 2;
constexpr int kWavesPerGroup = 4;

// Registers by number: a chain in a[0:15], one in a[16:31], sources in v[8:11].
#define MATRIX(name, instruction, first, second)                                                  \
  __global__ void name(int passes) {                                                              \
    for (int pass = 0; pass < passes; ++pass)                                                     \
      asm volatile(".rept 16\n" instruction " " first "\n" instruction " " second "\n.endr" ::    \
                       : "v8", "v9", "v10", "v11", "a0", "a1", "a2", "a3", "a4", "a5", "a6",      \
                         "a7", "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15", "a16",       \
                         "a17", "a18", "a19", "a20", "a21", "a22", "a23", "a24", "a25", "a26",    \
                         "a27", "a28", "a29", "a30", "a31");                                      \
  }
#define CHAINS_16(sources) "a[0:15], " sources ", a[0:15]", "a[16:31], " sources ", a[16:31]"
#define CHAINS_8(sources) "a[0:7], " sources ", a[0:7]", "a[16:23], " sources ", a[16:23]"
#define CHAINS_2(sources) "a[0:1], " sources ", a[0:1]", "a[16:17], " sources ", a[16:17]"
#define CHAINS_4(sources) "a[0:3], " sources ", a[0:3]", "a[16:19], " sources ", a[16:19]"
#define MATRIX_OF(name, instruction, chains) MATRIX(name, instruction, chains)
#define ONE "v8, v10"
#define TWO "v[8:9], v[10:11]"

MATRIX_OF(f16_32x32x8, "v_mfma_f32_32x32x8_f16", CHAINS_16(TWO))
MATRIX_OF(f16_16x16x16, "v_mfma_f32_16x16x16_f16", CHAINS_4(TWO))
MATRIX_OF(bf16_32x32x8, "v_mfma_f32_32x32x8_bf16", CHAINS_16(TWO))
MATRIX_OF(bf16_16x16x16, "v_mfma_f32_16x16x16_bf16", CHAINS_4(TWO))
MATRIX_OF(f32_32x32x2, "v_mfma_f32_32x32x2_f32", CHAINS_16(ONE))
MATRIX_OF(f32_16x16x4, "v_mfma_f32_16x16x4_f32", CHAINS_4(ONE))
MATRIX_OF(xf32_32x32x4, "v_mfma_f32_32x32x4_xf32", CHAINS_16(TWO))
MATRIX_OF(f64_16x16x4, "v_mfma_f64_16x16x4_f64", CHAINS_8(TWO))
MATRIX_OF(f64_4x4x4_4b, "v_mfma_f64_4x4x4_4b_f64", CHAINS_2(TWO))
MATRIX_OF(i8_32x32x16, "v_mfma_i32_32x32x16_i8", CHAINS_16(TWO))
MATRIX_OF(i8_16x16x32, "v_mfma_i32_16x16x32_i8", CHAINS_4(TWO))
MATRIX_OF(fp8_32x32x16, "v_mfma_f32_32x32x16_fp8_fp8", CHAINS_16(TWO))
MATRIX_OF(fp8_16x16x32, "v_mfma_f32_16x16x32_fp8_fp8", CHAINS_4(TWO))

template <class Kernel>
void measure(const char* name, Kernel kernel) {
  for (int passes : {2, 2, 4}) {
    kernel<<<kGroups, 64 * kWavesPerGroup>>>(passes);
    launched(name, double(kGroups) * kWavesPerGroup * 2 * kUnroll * passes);
  }
}

int main() {
#define MEASURE(name) measure(#name, name)
  MEASURE(f16_32x32x8);
  MEASURE(f16_16x16x16);
  MEASURE(bf16_32x32x8);
  MEASURE(bf16_16x16x16);
  MEASURE(f32_32x32x2);
  MEASURE(f32_16x16x4);
  MEASURE(xf32_32x32x4);
  MEASURE(f64_16x16x4);
  MEASURE(f64_4x4x4_4b);
  MEASURE(i8_32x32x16);
  MEASURE(i8_16x16x32);
  MEASURE(fp8_32x32x16);
  MEASURE(fp8_16x16x32);
}
