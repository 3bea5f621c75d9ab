// Kernels with a race each. The lines that race are marked: each finding must name two of them.
#include "races.h"

#define AGENT __HIP_MEMORY_SCOPE_AGENT
#define RACING(name, groups, threads) PROGRAM(name, groups, threads, true)

__device__ void spin() { __builtin_amdgcn_s_sleep(1); }

__global__ void missing_barrier(unsigned* d, unsigned*) {
  __shared__ unsigned tile[256];
  tile[TID] = ID;  // races
  __builtin_amdgcn_wave_barrier();
  d[ID] = tile[255 - TID];  // races
}
RACING(missing_barrier, 2, 256)

__global__ void halo_off_by_one(unsigned* d, unsigned*) {
  unsigned left = ID ? d[ID - 1] : 0;  // races
  d[ID] = left + 1;  // races
}
RACING(halo_off_by_one, 2, 256)

__global__ void plain_increment(unsigned* d, unsigned*) {
  d[0] = d[0] + 1;  // races
}
RACING(plain_increment, 4, 64)

__global__ void write_after_read(unsigned* d, unsigned*) {
  __shared__ unsigned tile[256];
  unsigned value = ID;
  for (int round = 0; round < 3; ++round) {
    tile[TID] = value;  // races
    __syncthreads();
    value = tile[255 - TID] + 1;  // races
  }
  d[ID] = value;
}
RACING(write_after_read, 1, 256)

__global__ void histogram_without_barrier(unsigned* d, unsigned*) {
  __shared__ unsigned bins[64];
  if (TID < 64) bins[TID] = 0;
  __syncthreads();
  atomicAdd(&bins[TID % 64], 1);  // races
  if (TID < 64) d[TID] = bins[TID];  // races
}
RACING(histogram_without_barrier, 1, 256)

__global__ void counter_not_cleared_in_time(unsigned* d, unsigned*) {
  __shared__ unsigned count;
  if (TID == 0) count = 0;  // races
  atomicAdd(&count, 1);  // races
  __syncthreads();
  if (TID == 0) d[0] = count;
}
RACING(counter_not_cleared_in_time, 1, 256)

__global__ void plain_read_of_counter(unsigned* d, unsigned* s) {
  atomicAdd(s, 1u);  // races
  if (TID == 0) d[GROUP] = *s;  // races
}
RACING(plain_read_of_counter, 4, 64)

__global__ UNOPTIMISED void plain_read_not_optimised(unsigned* d, unsigned* s) {
  atomicAdd(s, 1u);  // races
  if (TID == 0) d[GROUP] = *s;  // races
}
RACING(plain_read_not_optimised, 4, 64)

__global__ void guess_that_is_stored(unsigned* d, unsigned* s) {
  unsigned old = s[TID & 1];  // races
  d[ID] = old;
  atomicCAS(s + (TID & 1), old, old + 1);  // races
}
RACING(guess_that_is_stored, 2, 256)

__global__ void flag_without_fence(unsigned* d, unsigned* s) {
  if (GROUP == 0) {
    d[TID] = TID;  // races
    __syncthreads();
    if (TID == 0) atomicExch(s, 1u);
  } else {
    if (TID == 0)
      while (atomicAdd(s, 0u) == 0) spin();
    __syncthreads();
    __threadfence();
    d[256 + TID] = d[255 - TID];  // races
  }
}
RACING(flag_without_fence, 2, 256)

__global__ void flag_without_acquire(unsigned* d, unsigned* s) {
  if (GROUP == 0) {
    d[TID] = TID;  // races
    __syncthreads();
    if (TID == 0) __hip_atomic_store(s, 1u, __ATOMIC_RELEASE, AGENT);
  } else {
    if (TID == 0)
      while (__hip_atomic_load(s, __ATOMIC_RELAXED, AGENT) == 0) spin();
    __syncthreads();
    d[256 + TID] = d[255 - TID];  // races
  }
}
RACING(flag_without_acquire, 2, 256)

__global__ void flag_before_data(unsigned* d, unsigned* s) {
  if (GROUP == 0) {
    if (TID == 0) __hip_atomic_store(s, 1u, __ATOMIC_RELEASE, AGENT);
    d[TID] = TID;  // races
  } else {
    if (TID == 0)
      while (__hip_atomic_load(s, __ATOMIC_ACQUIRE, AGENT) == 0) spin();
    __syncthreads();
    d[256 + TID] = d[255 - TID];  // races
  }
}
RACING(flag_before_data, 2, 256)

__global__ void plain_flag(unsigned*, unsigned* s) {
  if (GROUP == 0) {
    __threadfence();
    if (TID == 0) s[0] = 1;  // races
  } else if (TID == 0) {
    while (*(volatile unsigned*)s == 0) spin();  // races
  }
}
RACING(plain_flag, 2, 64)

__global__ void plain_look_at_flag(unsigned* d, unsigned* s) {
  if (GROUP == 0) {
    if (TID == 0) atomicExch(s, 1u);  // races
  } else {
    d[ID] = s[TID & 1];  // races
  }
}
RACING(plain_look_at_flag, 2, 64)

__global__ void flag_of_too_small_scope(unsigned*, unsigned* s) {
  if (TID) return;
  if (GROUP == 0)
    __hip_atomic_store(s, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);  // races
  else
    while (!__hip_atomic_load(s, __ATOMIC_ACQUIRE, AGENT)) spin();  // races
}
RACING(flag_of_too_small_scope, 2, 64)

__global__ void lock_released_by_plain_store(unsigned* d, unsigned* s) {
  if (TID) return;
  while (atomicCAS(s, 0u, 1u) != 0) spin();  // races
  __threadfence();
  d[0] = d[0] + 1;  // races
  __threadfence();
  s[0] = 0;  // races
}
RACING(lock_released_by_plain_store, 4, 64)

__global__ void lock_without_fences(unsigned* d, unsigned* s) {
  if (TID) return;
  while (atomicCAS(s, 0u, 1u) != 0) spin();
  d[0] = d[0] + 1;  // races
  atomicExch(s, 0u);
}
RACING(lock_without_fences, 4, 64)

__global__ void last_workgroup_without_fence(unsigned* d, unsigned* s) {
  __shared__ bool last;
  if (TID == 0) {
    d[1 + GROUP] = GROUP;  // races
    last = atomicAdd(s, 1u) == GROUPS - 1;
  }
  __syncthreads();
  __threadfence();
  if (last && TID < GROUPS) d[64 + TID] = d[1 + TID];  // races
}
RACING(last_workgroup_without_fence, 8, 64)

__global__ void lds_overlap_of_waves(unsigned* d, unsigned*) {
  __shared__ unsigned tile[256];
  unsigned wave = TID / 64, lane = TID % 64;
  volatile unsigned* mine = tile + wave * 60;
  mine[lane] = ID;  // races
  d[ID] = mine[lane ^ 1];  // races
}
RACING(lds_overlap_of_waves, 1, 256)

__global__ void wave_reduction_beyond_the_wave(unsigned* d, unsigned*) {
  __shared__ unsigned tile[256];
  volatile unsigned* sums = tile;
  sums[TID] = ID;
  __syncthreads();
  for (unsigned half = 128; half; half /= 2)
    if (TID < half) sums[TID] = sums[TID] + sums[TID + half];  // races
  if (TID == 0) d[0] = sums[0];
}
RACING(wave_reduction_beyond_the_wave, 1, 256)

__global__ void two_workgroups_one_element(unsigned* d, unsigned*) {
  d[TID] = GROUP + 1;  // races
}
RACING(two_workgroups_one_element, 2, 64)

__global__ void grid_barrier_without_fence(unsigned* d, unsigned* s) {
  d[ID] = ID;  // races
  __syncthreads();
  if (TID == 0) {
    atomicAdd(s, 1u);
    while (*(volatile unsigned*)s < GROUPS) spin();
  }
  __syncthreads();
  d[4096 + ID] = d[(ID + 256) % (GROUPS * 256)];  // races
}
RACING(grid_barrier_without_fence, 4, 256)

__global__ void printed_without_barrier(unsigned*, unsigned*) {
  __shared__ unsigned value;
  if (TID == 0) value = 5;  // races
  __builtin_amdgcn_wave_barrier();
  if (TID == 64) printf("%u\n", value);  // races
}
RACING(printed_without_barrier, 1, 128)

__global__ void queue_read_too_early(unsigned* d, unsigned* s) {
  d[atomicAdd(s, 1u)] = ID + 1;  // races
  __syncthreads();
  d[4096 + ID] = d[(ID + 64) % 256];  // races
}
RACING(queue_read_too_early, 4, 64)

__global__ void read_then_written_by_reader(unsigned* d, unsigned*) {
  unsigned sum = d[0];  // races
  if (GROUP == 3 && TID == 0) d[0] = sum + 1;  // races
  d[64 + ID] = sum;
}
RACING(read_then_written_by_reader, 4, 64)
