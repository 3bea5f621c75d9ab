// Kernels that call the host, as a code object that a program loads.
#include <hip/hip_runtime.h>

#include <cassert>

typedef long Answer __attribute__((ext_vector_type(2)));
extern "C" __device__ Answer __ockl_hostcall_preview(unsigned service, uint64_t, uint64_t, uint64_t,
                                                     uint64_t, uint64_t, uint64_t, uint64_t,
                                                     uint64_t);

extern "C" __global__ void formats(int* lengths) {
  const char* nothing = nullptr;
  int n = 0;
  lengths[n++] = printf("plain\n");
  lengths[n++] = printf("%d|%5d|%-5d|%05d|%+d|%i\n", 1, -2, 3, 4, 5, -6);
  lengths[n++] = printf("%u %x %X %o %#x\n", 4000000000u, 255u, 255u, 8u, 255u);
  lengths[n++] = printf("%ld %lld %lu %zu\n", -(1L << 40), 1LL << 62, ~0UL, size_t{7});
  lengths[n++] = printf("%hd %hhd %hu %hhu\n", 70000, 300, 70000, 300);
  lengths[n++] = printf("%f %.3f %e %g %a %10.2f|\n", 1.5, 2.0f / 3, 1e100, 0.1, 1.0, -3.14159);
  lengths[n++] = printf("%c%c %s [%8s] [%-8s] [%.2s]\n", 'o', 'k', "text", "right", "left", "cut");
  lengths[n++] = printf("%p %s|\n", reinterpret_cast<void*>(0x1234), nothing);
  lengths[n++] = printf("100%% %*d %-*d| %.*f %.*f\n", 6, 1, 4, 2, 1, 2.55, -1, 0.5);
  lengths[n++] = printf("%d %d %d %d %d %d %d %d %d %s %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, "ten", 11);
  lengths[n++] = printf("");
  lengths[n++] = printf("Device-side assertion in words\n");
}

extern "C" __global__ void waves(int* lengths) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  lengths[item] = printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

extern "C" __global__ void divergent(int* lengths, const char* text, int length) {
  // Every lane another part of the text; the odd ones print twice.
  lengths[threadIdx.x] = printf("%d %s\n", threadIdx.x, text + length * threadIdx.x / blockDim.x);
  if (threadIdx.x % 2) lengths[threadIdx.x] += printf("odd %d\n", threadIdx.x);
}

extern "C" __global__ void failing(const int* values) {
  assert(values[threadIdx.x] < 3 && "too large");
}

extern "C" __global__ void memory(uint64_t* out) {
  const uint64_t address = __ockl_hostcall_preview(3, 0, 4096, 0, 0, 0, 0, 0, 0).x;
  auto* words = reinterpret_cast<uint64_t*>(address);
  words[511] = threadIdx.x + 1;
  out[threadIdx.x] = address;
  out[threadIdx.x + blockDim.x] = words[511];
  __ockl_hostcall_preview(3, address, 0, 0, 0, 0, 0, 0, 0);
}

extern "C" __global__ void allocate(int** blocks) {
  int* block = static_cast<int*>(malloc(4 * sizeof(int)));
  if (block) block[3] = threadIdx.x;
  blocks[threadIdx.x] = block;
}

extern "C" __global__ void release(int** blocks, int* found) {
  int* block = blocks[threadIdx.x];
  found[threadIdx.x] = block ? block[3] : -1;
  free(block);
}

extern "C" __global__ void call(uint64_t function, uint64_t* out) {
  const Answer answer = __ockl_hostcall_preview(1, function, threadIdx.x, 2, 3, 4, 5, 6, 7);
  out[2 * threadIdx.x] = answer.x;
  out[2 * threadIdx.x + 1] = answer.y;
}

extern "C" __global__ void unknown() { __ockl_hostcall_preview(9, 0, 0, 0, 0, 0, 0, 0, 0); }
