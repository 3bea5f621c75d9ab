// FP32 multiply-add on one CU with 16 waves, and on all CUs, plain and packed. The amount is FLOP.
#include "measure.h"

constexpr int kUnroll = 8;  // times the eight chains
constexpr int kThreads = 1024;

__global__ void fma_plain(int passes) {
  for (int pass = 0; pass < passes; ++pass)
    asm volatile(
        ".rept 8\n"
        "v_fma_f32 v8, v8, v7, v7\n v_fma_f32 v9, v9, v7, v7\n v_fma_f32 v10, v10, v7, v7\n"
        "v_fma_f32 v11, v11, v7, v7\n v_fma_f32 v12, v12, v7, v7\n v_fma_f32 v13, v13, v7, v7\n"
        "v_fma_f32 v14, v14, v7, v7\n v_fma_f32 v15, v15, v7, v7\n"
        ".endr" ::: "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15");
}

__global__ void fma_packed(int passes) {
  for (int pass = 0; pass < passes; ++pass)
    asm volatile(
        ".rept 16\n"
        "v_pk_fma_f32 v[8:9], v[8:9], v[6:7], v[6:7]\n"
        "v_pk_fma_f32 v[10:11], v[10:11], v[6:7], v[6:7]\n"
        "v_pk_fma_f32 v[12:13], v[12:13], v[6:7], v[6:7]\n"
        "v_pk_fma_f32 v[14:15], v[14:15], v[6:7], v[6:7]\n"
        ".endr" ::: "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15");
}

template <class Kernel>
void measure(const char* name, Kernel kernel, int groups, int passes, int flop_per_instruction) {
  kernel<<<groups, kThreads>>>(passes);
  launched(name, double(groups) * kThreads * passes * kUnroll * 8 * flop_per_instruction);
}

int main() {
  measure("one_cu", fma_plain, 1, 512, 2);
  measure("all_cus", fma_plain, 304, 64, 2);
  measure("all_cus_packed", fma_packed, 304, 64, 4);
}
