// Correct kernels that update shared words: single atomics, loops around compare-and-swap, queues,
// graphs. The race check must stay silent on all of them.
#include <hip/hip_fp16.h>

#include "races.h"

__global__ void atomic_add_int(unsigned* d, unsigned*) { atomicAdd((int*)d, 1); }
PROGRAM(atomic_add_int, 8, 256, d[0] == 2048)

__global__ void atomic_add_float(unsigned* d, unsigned*) { atomicAdd((float*)d, 0.5f); }
PROGRAM(atomic_add_float, 8, 256, d[0] == float_bits(1024))

__global__ void atomic_add_double(unsigned* d, unsigned*) { atomicAdd((double*)d, 0.5); }
PROGRAM(atomic_add_double, 8, 256, value_at<double>(d) == 1024)

__global__ void atomic_add_u64(unsigned* d, unsigned*) {
  atomicAdd((unsigned long long*)d, 1ull << 33);
}
PROGRAM(atomic_add_u64, 8, 256, value_at<unsigned long long>(d) == 2048ull << 33)

__global__ void unsafe_atomic_add(unsigned* d, unsigned*) {
  unsafeAtomicAdd((float*)d + (ID & 3), 1.0f);
  unsafeAtomicAdd((double*)(d + 8), 1.0);
}
PROGRAM(unsafe_atomic_add, 8, 256, d[3] == float_bits(512) && value_at<double>(d + 8) == 2048)

__global__ void atomic_inc_and_dec(unsigned* d, unsigned*) {
  atomicInc(d, 99);
  atomicDec(d + 1, 99);
}
PROGRAM(atomic_inc_and_dec, 8, 256, d[0] == 2048 % 100 && d[1] == 99 - 2047 % 100)

__global__ void atomic_or_bit_set(unsigned* d, unsigned*) { atomicOr(d + ID / 32, 1u << ID % 32); }
PROGRAM(atomic_or_bit_set, 8, 256, all_of(64, [=](unsigned i) { return d[i] == ~0u; }))

// The plain first load is a guess; the address differs from lane to lane.
__global__ void float_max_by_cas(unsigned* d, unsigned*) {
  int* word = (int*)d + (ID & 7);
  float mine = float(ID % 1000);
  int old = *word;
  while (mine > __int_as_float(old)) {
    int expected = old;
    old = atomicCAS(word, expected, __float_as_int(mine));
    if (old == expected) break;
  }
}
PROGRAM(float_max_by_cas, 8, 256,
        all_of(8, [=](unsigned i) { return d[i] == float_bits(float(992 + i)); }))

__global__ void float_max_of_one_word(unsigned* d, unsigned*) {
  float mine = float(ID % 1000);
  int old = *(int*)d;
  while (mine > __int_as_float(old)) {
    int expected = old;
    old = atomicCAS((int*)d, expected, __float_as_int(mine));
    if (old == expected) break;
  }
}
PROGRAM(float_max_of_one_word, 8, 256, d[0] == float_bits(999))

__global__ UNOPTIMISED void float_max_not_optimised(unsigned* d, unsigned*) {
  float mine = float(ID % 1000);
  int old = *(int*)d;
  while (mine > __int_as_float(old)) {
    int expected = old;
    old = atomicCAS((int*)d, expected, __float_as_int(mine));
    if (old == expected) break;
  }
}
PROGRAM(float_max_not_optimised, 8, 256, d[0] == float_bits(999))

__device__ double add_by_cas(double* address, double value) {
  auto* word = (unsigned long long*)address;
  unsigned long long old = *word, expected;
  do {
    expected = old;
    old = atomicCAS(word, expected, __double_as_longlong(value + __longlong_as_double(expected)));
  } while (expected != old);
  return __longlong_as_double(old);
}
__global__ void double_add_by_cas(unsigned* d, unsigned*) {
  add_by_cas((double*)d + (ID & 3), 0.25);
}
PROGRAM(double_add_by_cas, 8, 256, value_at<double>(d + 6) == 128)

__global__ void half2_add_by_cas(unsigned* d, unsigned*) {
  unsigned* word = d + (ID & 31);
  unsigned old = *word, expected;
  do {
    expected = old;
    __half2 sum;
    memcpy(&sum, &expected, 4);
    sum = __hadd2(sum, __float2half2_rn(1.0f));
    unsigned bits;
    memcpy(&bits, &sum, 4);
    old = atomicCAS(word, expected, bits);
  } while (old != expected);
}
PROGRAM(half2_add_by_cas, 4, 256, d[5] == 0x50005000)  // 32.0 twice

__global__ void lds_float_add_by_cas(unsigned* d, unsigned*) {
  __shared__ unsigned word;
  if (TID == 0) word = 0;
  __syncthreads();
  unsigned old = word, expected;
  do {
    expected = old;
    old = atomicCAS(&word, expected, __float_as_uint(__uint_as_float(expected) + 1.0f));
  } while (old != expected);
  __syncthreads();
  if (TID == 0) d[GROUP] = word;
}
PROGRAM(lds_float_add_by_cas, 2, 256, d[0] == float_bits(256) && d[1] == float_bits(256))

__global__ void library_float_max(unsigned* d, unsigned*) { atomicMax((float*)d, float(ID)); }
PROGRAM(library_float_max, 8, 256, d[0] == float_bits(2047))

__global__ void histogram(unsigned* d, unsigned*) {
  __shared__ unsigned bins[64];
  if (TID < 64) bins[TID] = 0;
  __syncthreads();
  atomicAdd(&bins[ID * 7 % 64], 1);
  __syncthreads();
  if (TID < 64) atomicAdd(d + TID, bins[TID]);
}
PROGRAM(histogram, 8, 256, all_of(64, [=](unsigned i) { return d[i] == 32; }))

__global__ void queue_push(unsigned* d, unsigned* s) {
  if (ID % 3 == 0) d[atomicAdd(s, 1)] = ID + 1;
}
PROGRAM(queue_push, 8, 256, s[0] == 683 && all_of(683, [=](unsigned i) { return d[i] % 3 == 1; }))

__global__ void wave_aggregated_push(unsigned* d, unsigned* s) {
  bool take = ID % 5 == 0;
  unsigned long long takers = __ballot(take);
  unsigned first = __ffsll(takers) - 1, lane = TID % 64, base = 0;
  if (lane == first) base = atomicAdd(s, __popcll(takers));
  base = __shfl(base, first);
  if (take) d[base + __popcll(takers & ((1ull << lane) - 1))] = ID + 1;
}
PROGRAM(wave_aggregated_push, 8, 256,
        s[0] == 410 && all_of(410, [=](unsigned i) { return d[i] % 5 == 1; }))

__global__ void dynamic_work_queue(unsigned* d, unsigned* s) {
  __shared__ unsigned item;
  for (;;) {
    if (TID == 0) item = atomicAdd(s, 1);
    __syncthreads();
    unsigned mine = item;
    __syncthreads();
    if (mine >= 40) return;
    d[mine * 256 + TID] = mine;
  }
}
PROGRAM(dynamic_work_queue, 8, 256, all_of(10240, [=](unsigned i) { return d[i] == i / 256; }))

// Every node starts as its own parent, kept as parent + 1 so that zeroed memory needs no set-up.
__device__ unsigned root_of(unsigned* parent, unsigned node) {
  for (;;) {
    unsigned up = __hip_atomic_load(parent + node, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (up == 0) return node;
    node = up - 1;
  }
}
__global__ void union_find(unsigned* d, unsigned*) {
  unsigned a = ID, b = ID % 16 == 15 ? ID : ID + 1;
  for (;;) {
    a = root_of(d, a);
    b = root_of(d, b);
    if (a == b) return;
    unsigned low = a < b ? a : b, high = a < b ? b : a;
    if (atomicCAS(d + high, 0u, low + 1) == 0) return;
  }
}
PROGRAM(union_find, 8, 256, all_of(2048, [=](unsigned i) {
          unsigned node = i;
          while (d[node]) node = d[node] - 1;
          return node == i / 16 * 16;
        }))

__global__ void label_propagation(unsigned* d, unsigned* s) {
  __shared__ unsigned changed;
  unsigned me = TID, next = (TID + 1) % 256;
  atomicMax(d + me, 1000 - TID);
  do {
    __syncthreads();
    if (TID == 0) changed = 0;
    __syncthreads();
    unsigned mine = __hip_atomic_load(d + me, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (atomicMax(d + next, mine) < mine) atomicOr(&changed, 1);
    __syncthreads();
  } while (changed);
}
PROGRAM(label_propagation, 1, 256, all_of(256, [=](unsigned i) { return d[i] == 1000; }))

// A ring of 512 nodes; level + 1 in d, the frontier in s.
__global__ void breadth_first(unsigned* d, unsigned* s) {
  __shared__ unsigned count, next;
  unsigned *now = s, *later = s + 1024;
  if (TID == 0) d[0] = 1, now[0] = 0, count = 1, next = 0;
  __syncthreads();
  for (unsigned level = 2; count; ++level) {
    if (TID < count) {
      for (unsigned step : {1u, 511u, 16u}) {
        unsigned node = (now[TID] + step) % 512;
        if (atomicCAS(d + node, 0u, level) == 0) later[atomicAdd(&next, 1)] = node;
      }
    }
    __syncthreads();
    if (TID == 0) count = next, next = 0;
    unsigned* swap = now;
    now = later;
    later = swap;
    __syncthreads();
  }
}
PROGRAM(breadth_first, 1, 256, all_of(512, [=](unsigned i) { return d[i] != 0; }) && d[16] == 2)

// Everybody who stores there stores the same.
__global__ void found_flag(unsigned* d, unsigned*) {
  __shared__ unsigned any;
  if (TID == 0) any = 0;
  __syncthreads();
  if (ID % 7 == 3) d[0] = 1;
  if (TID % 9 == 1) any = 5;
  __syncthreads();
  if (TID == 0) d[1 + GROUP] = any;
}
PROGRAM(found_flag, 8, 256, d[0] == 1 && d[8] == 5)

__global__ void bytes_side_by_side(unsigned* d, unsigned*) {
  ((unsigned char*)d)[ID / 64 + ID % 64 * 32] = (unsigned char)(ID / 64 + 1);
}
PROGRAM(bytes_side_by_side, 8, 256, ((const unsigned char*)d)[31] == 32)

__global__ void print_from_many_waves(unsigned*, unsigned*) {
  if (TID % 64 == 0) printf("wave %u of workgroup %u\n", TID / 64, GROUP);
}
PROGRAM(print_from_many_waves, 3, 128, true)
