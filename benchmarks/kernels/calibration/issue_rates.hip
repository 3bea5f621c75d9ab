// Loops of one kind of instruction on a full device: how many instructions a CU issues per cycle. Two
// launches each, the second with twice the passes.
#include "measure.h"

constexpr int kRepeat = 64;       // instructions per pass of the loop
constexpr int kLongRepeat = 256;
constexpr int kShortRepeat = 14;  // of s_nop, whose rate the loop around it decides
#define STRING(text) #text
#define BLOCK(instruction, count) ".rept " STRING(count) "\n" instruction "\n.endr\n"

__global__ void issue_vmov(int passes) {
  for (int pass = 0; pass < passes; ++pass)
    asm volatile(BLOCK("v_mov_b32 v7, v7", 64)::: "v7");
}

__global__ void issue_vmov_long(int passes) {
  for (int pass = 0; pass < passes; ++pass)
    asm volatile(BLOCK("v_mov_b32 v7, v7", 256)::: "v7");
}

__global__ void issue_mfma(int passes) {
  for (int pass = 0; pass < passes; ++pass)
    asm volatile(BLOCK("v_mfma_f32_32x32x2_f32 a[0:15], v7, v7, a[0:15]", 64)
                 ::: "v7", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10",
                     "a11", "a12", "a13", "a14", "a15");
}

__global__ void issue_snop(int passes) {
  for (int pass = 0; pass < passes; ++pass) asm volatile(BLOCK("s_nop 0", 14));
}

__global__ void issue_snop_long(int passes) {
  for (int pass = 0; pass < passes; ++pass) asm volatile(BLOCK("s_nop 0", 256));
}

__global__ void issue_smov(int passes) {
  for (int pass = 0; pass < passes; ++pass) asm volatile(BLOCK("s_mov_b32 s20, s20", 64)::: "s20");
}

// One lane at work.
__global__ void issue_divergent(int passes) {
  if (threadIdx.x % 64 != 0) return;
  for (int pass = 0; pass < passes; ++pass)
    asm volatile(BLOCK("v_mov_b32 v7, v7", 64)::: "v7");
}

template <class Kernel>
void measure(const char* name, Kernel kernel, int groups, int passes, int repeat = kRepeat) {
  for (int times : {1, 2}) {
    kernel<<<groups, 256>>>(passes * times);
    launched(name, double(groups) * 4 * passes * times * repeat);
  }
}

int main() {
  const int groups = 304 * 8;  // 32 waves on each CU
  measure("vmov", issue_vmov, groups, 16);
  measure("mfma", issue_mfma, groups / 4, 4);
  measure("snop", issue_snop, groups, 64, kShortRepeat);
  measure("smov", issue_smov, groups, 16);
  measure("vmov_long", issue_vmov_long, groups, 4, kLongRepeat);
  measure("snop_long", issue_snop_long, groups, 4, kLongRepeat);
  measure("divergent", issue_divergent, groups, 16);
}
