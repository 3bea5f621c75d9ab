// Everything that a kernel can find out about its launch, without clocks and without addresses.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

#define CONSTANT __attribute__((address_space(4)))
using Word = unsigned long;
constexpr int kWords = 64;

extern "C" __global__ void look(Word* out, int n) {
  __shared__ Word shared[64];
  volatile Word own[16];
  const unsigned place = (unsigned)(Word)(__attribute__((address_space(3))) Word*)&shared[threadIdx.x];
  Word lds;
  unsigned vector, scalar, mode, status, unit, die;
  asm volatile("ds_read_b64 %0, %1\n s_waitcnt lgkmcnt(0)" : "=v"(lds) : "v"(place));
  asm volatile("v_mov_b32 %0, v100" : "=v"(vector)::"v100");
  asm volatile("s_mov_b32 %0, s90" : "=s"(scalar)::"s90");
  asm volatile("s_getreg_b32 %0, hwreg(HW_REG_MODE)" : "=s"(mode));
  asm volatile("s_getreg_b32 %0, hwreg(HW_REG_STATUS)" : "=s"(status));
  asm volatile("s_getreg_b32 %0, hwreg(HW_REG_HW_ID)" : "=s"(unit));
  asm volatile("s_getreg_b32 %0, hwreg(HW_REG_XCC_ID)" : "=s"(die));
  const Word scratch = own[(n + threadIdx.x) & 15];
  if (threadIdx.x != 0) return;
  const auto* packet = (const CONSTANT Word*)__builtin_amdgcn_dispatch_ptr();
  const auto* hidden = (const CONSTANT Word*)__builtin_amdgcn_implicitarg_ptr();
  const auto* queue = (const CONSTANT Word*)hidden[25];
  const auto* signal = (const CONSTANT Word*)packet[7];
  for (int i = 0; i < 4; ++i) out[i] = packet[i];  // sizes
  out[4] = packet[6];                              // reserved2
  out[5] = (Word)packet & 0xfff;                   // the slot in the ring
  out[6] = (Word)hidden & 0xfff;
  for (int i = 0; i < 9; ++i) out[8 + i] = hidden[i];
  for (int i = 15; i < 25; ++i) out[8 + i] = hidden[i];
  out[33] = queue[0], out[34] = queue[3];      // type and features, size
  out[35] = queue[7], out[36] = queue[16];     // indices of write and read
  out[37] = queue[8], out[38] = queue[9];      // apertures, ids
  out[39] = queue[17], out[40] = queue[22];    // offset and properties
  out[41] = signal[0], out[42] = signal[1];    // kind and value
  out[43] = signal[4] != 0 && signal[5] != 0;  // it has timestamps of an earlier packet
  out[44] = lds, out[45] = vector, out[46] = scalar, out[47] = scratch;
  out[48] = mode, out[49] = status, out[50] = unit, out[51] = die;
}

__global__ void first(int* x) { x[threadIdx.x] += 1; }

int main() {
  Word* out;
  int* x;
  if (hipMalloc(&out, kWords * sizeof(Word)) || hipMalloc(&x, 256)) return 1;
  (void)hipMemset(out, 0, kWords * sizeof(Word));
  (void)hipMemset(x, 0, 256);
  for (int i = 0; i < 5; ++i) first<<<1, 64>>>(x);
  look<<<1, 64>>>(out, 5);
  std::vector<Word> got(kWords);
  if (hipMemcpy(got.data(), out, kWords * sizeof(Word), hipMemcpyDeviceToHost)) return 1;
  for (Word word : got) std::printf("%lx\n", word);
}
