// One vector memory instruction of each kind, in a kernel of its own. As in AMD's program, a generic
// write or atomic has lanes in global memory and lanes in the LDS: it counts as an LDS instruction,
// too.
#include "measure.h"

__global__ void global_read(int* p) {
  int value;
  asm volatile("global_load_dword %0, %1, off\n s_waitcnt vmcnt(0)" : "=v"(value) : "v"(p));
}
__global__ void global_write(int* p) {
  asm volatile("global_store_dword %0, %1, off" ::"v"(p), "v"(1) : "memory");
}
__global__ void global_atomic(int* p) {
  asm volatile("global_atomic_add %0, %1, off" ::"v"(p), "v"(1) : "memory");
}
__global__ void generic_read(int* p) {
  int value;
  asm volatile("flat_load_dword %0, %1\n s_waitcnt vmcnt(0) lgkmcnt(0)" : "=v"(value) : "v"(p));
}
__shared__ int shared_word;
__device__ int* half_shared(int* p) { return threadIdx.x < 32 ? p : &shared_word; }
__global__ void generic_write(int* p) {
  asm volatile("flat_store_dword %0, %1" ::"v"(half_shared(p)), "v"(1) : "memory");
}
__global__ void generic_atomic(int* p) {
  asm volatile("flat_atomic_add %0, %1" ::"v"(half_shared(p)), "v"(1) : "memory");
}

int main() {
  int* p = device_array<int>(1);
#define MEASURE(kernel) kernel<<<1, 64>>>(p), launched(#kernel, 1)
  MEASURE(global_read);
  MEASURE(global_write);
  require(host_copy(p, 1)[0] == 1, "a global write arrives");
  MEASURE(global_atomic);
  require(host_copy(p, 1)[0] == 65, "a global atomic of each lane arrives");
  MEASURE(generic_read);
  MEASURE(generic_write);
  require(host_copy(p, 1)[0] == 1, "a generic write arrives");
  MEASURE(generic_atomic);
  require(host_copy(p, 1)[0] == 33, "a generic atomic of half of the lanes arrives");
}
