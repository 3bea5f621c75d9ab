// One kind of instruction on a full device: how many of them a CU issues per cycle. A thousand in a row
// without a loop, as in rocprofiler-compute's sample, for two rounds of workgroups and for three; and in
// a short loop, whose code is fetched once, with one and two times the passes after a launch that brings
// its arguments into the caches.
#include "measure.h"

#define STRING(text) #text
#define BLOCK(instruction, count) ".rept " STRING(count) "\n" instruction "\n.endr\n"

constexpr int kRow = 1000;
#define IN_A_ROW(name, instruction, ...) \
  __global__ void name() { asm volatile(BLOCK(instruction, 1000)::: __VA_ARGS__); }

IN_A_ROW(row_vmov, "v_mov_b32 v7, v7", "v7")
IN_A_ROW(row_snop, "s_nop 0", "memory")
IN_A_ROW(row_smov, "s_mov_b32 s20, s20", "s20")
// One lane at work.
__global__ void row_divergent() {
  if (threadIdx.x % 64 == 0) asm volatile(BLOCK("v_mov_b32 v7, v7", 1000)::: "v7");
}

constexpr int kLoop = 64;
#define IN_A_LOOP(name, instruction, ...)                                    \
  __global__ void name(int passes) {                                         \
    for (int pass = 0; pass < passes; ++pass)                                \
      asm volatile(BLOCK(instruction, 64)::: __VA_ARGS__);                   \
  }

IN_A_LOOP(loop_vmov, "v_mov_b32 v7, v7", "v7")
IN_A_LOOP(loop_snop, "s_nop 0", "memory")
IN_A_LOOP(loop_smov, "s_mov_b32 s20, s20", "s20")
IN_A_LOOP(loop_mfma, "v_mfma_f32_32x32x2_f32 a[0:15], v7, v7, a[0:15]", "v7", "a0", "a1", "a2", "a3",
          "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15")

constexpr int kWaves = 4;            // in a workgroup
constexpr int kRound = 304 * 8;      // workgroups that the device holds

template <class Kernel>
void measure_row(const char* name, Kernel kernel) {
  for (int rounds : {2, 2, 3}) {  // the first one finds no code in the caches
    kernel<<<kRound * rounds, 64 * kWaves>>>();
    launched(name, double(kRound) * rounds * kWaves * kRow);
  }
}

template <class Kernel>
void measure_loop(const char* name, Kernel kernel, int groups, int passes) {
  for (int times : {1, 1, 2}) {
    kernel<<<groups, 64 * kWaves>>>(passes * times);
    launched(name, double(groups) * kWaves * passes * times * kLoop);
  }
}

int main() {
  measure_row("row_vmov", row_vmov);
  measure_row("row_snop", row_snop);
  measure_row("row_smov", row_smov);
  measure_row("row_divergent", row_divergent);
  measure_loop("loop_vmov", loop_vmov, kRound, 16);
  measure_loop("loop_snop", loop_snop, kRound, 16);
  measure_loop("loop_smov", loop_smov, kRound, 16);
  measure_loop("loop_mfma", loop_mfma, kRound / 4, 4);
}
