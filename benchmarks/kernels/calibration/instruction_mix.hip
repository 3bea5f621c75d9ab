// Executes exactly one vector instruction of each class per wave, and none of them anywhere else.
#include "measure.h"

__global__ void instruction_mix() {
  int whole;
  long long wide;
  float single;
  double twice;
  _Float16 half;
#define ONCE(instruction, result, a) asm volatile(instruction : "=v"(result) : "v"(a))
  asm volatile("v_mov_b32 %0, 1" : "=v"(whole));
  asm volatile("v_mov_b32 %0, 1.0" : "=v"(single));
  asm volatile("v_mov_b32 %0, 1.0" : "=v"(half));
  asm volatile("v_mov_b64 %0, 1.0" : "=v"(twice));
  asm volatile("v_mov_b64 %0, 1" : "=v"(wide));
  ONCE("v_add_u32 %0, %1, %1", whole, whole);
  ONCE("v_lshl_add_u64 %0, %1, 1, %1", wide, wide);
  ONCE("v_add_f16 %0, %1, %1", half, half);
  ONCE("v_mul_f16 %0, %1, %1", half, half);
  ONCE("v_fma_f16 %0, %1, %1, %1", half, half);
  ONCE("v_sqrt_f16 %0, %1", half, half);
  ONCE("v_add_f32 %0, %1, %1", single, single);
  ONCE("v_mul_f32 %0, %1, %1", single, single);
  ONCE("v_fma_f32 %0, %1, %1, %1", single, single);
  ONCE("v_sqrt_f32 %0, %1", single, single);
  ONCE("v_add_f64 %0, %1, %1", twice, twice);
  ONCE("v_mul_f64 %0, %1, %1", twice, twice);
  ONCE("v_fma_f64 %0, %1, %1, %1", twice, twice);
  ONCE("v_sqrt_f64 %0, %1", twice, twice);
  ONCE("v_cvt_f32_i32 %0, %1", single, whole);
#undef ONCE
}

int main() {
  const int waves = 64;
  instruction_mix<<<waves, 64>>>();
  launched("instruction_mix", waves);
}
