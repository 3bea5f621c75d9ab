// Correct kernels that order plain accesses by barriers, fences, flags and locks. The race check must
// stay silent on all of them.
#include <atomic>

#include "races.h"

namespace cg = cooperative_groups;
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#define SYSTEM __HIP_MEMORY_SCOPE_SYSTEM
#define WORKGROUP __HIP_MEMORY_SCOPE_WORKGROUP

__device__ void spin() { __builtin_amdgcn_s_sleep(1); }

// Workgroup 0 hands an array to all others.
template <class Set, class Wait>
__device__ void pass_message(unsigned* d, unsigned* s, Set set, Wait wait) {
  if (GROUP == 0) {
    d[TID] = TID + 7;
    __syncthreads();
    if (TID == 0) set(s);
  } else {
    if (TID == 0) wait(s);
    __syncthreads();
    d[GROUP * 256 + TID] = d[255 - TID];
  }
}
#define MESSAGE_ARRIVED all_of(256, [=](unsigned i) { return d[256 + i] == 262 - i; })

__global__ void message_volatile(unsigned* d, unsigned* s) {
  pass_message(d, s, [](unsigned* f) { __threadfence(); *(volatile unsigned*)f = 1; },
               [](unsigned* f) { while (*(volatile unsigned*)f == 0) spin(); __threadfence(); });
}
PROGRAM(message_volatile, 4, 256, MESSAGE_ARRIVED)

__global__ void message_atomics(unsigned* d, unsigned* s) {
  pass_message(d, s, [](unsigned* f) { __threadfence(); atomicExch(f, 1u); },
               [](unsigned* f) { while (atomicAdd(f, 0u) == 0) spin(); __threadfence(); });
}
PROGRAM(message_atomics, 4, 256, MESSAGE_ARRIVED)

__global__ void message_agent(unsigned* d, unsigned* s) {
  pass_message(d, s, [](unsigned* f) { __hip_atomic_store(f, 1u, __ATOMIC_RELEASE, AGENT); },
               [](unsigned* f) { while (!__hip_atomic_load(f, __ATOMIC_ACQUIRE, AGENT)) spin(); });
}
PROGRAM(message_agent, 4, 256, MESSAGE_ARRIVED)

__global__ void message_system(unsigned* d, unsigned* s) {
  pass_message(d, s, [](unsigned* f) { __hip_atomic_store(f, 1u, __ATOMIC_RELEASE, SYSTEM); },
               [](unsigned* f) { while (!__hip_atomic_load(f, __ATOMIC_ACQUIRE, SYSTEM)) spin(); });
}
PROGRAM(message_system, 4, 256, MESSAGE_ARRIVED)

__global__ void message_seq_cst(unsigned* d, unsigned* s) {
  pass_message(d, s, [](unsigned* f) { __hip_atomic_exchange(f, 1u, __ATOMIC_SEQ_CST, AGENT); },
               [](unsigned* f) {
                 while (!__hip_atomic_fetch_or(f, 0u, __ATOMIC_SEQ_CST, AGENT)) spin();
               });
}
PROGRAM(message_seq_cst, 4, 256, MESSAGE_ARRIVED)

__global__ void message_relaxed_with_fences(unsigned* d, unsigned* s) {
  pass_message(d, s,
               [](unsigned* f) {
                 __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
                 __hip_atomic_store(f, 1u, __ATOMIC_RELAXED, AGENT);
               },
               [](unsigned* f) {
                 while (!__hip_atomic_load(f, __ATOMIC_RELAXED, AGENT)) spin();
                 __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
               });
}
PROGRAM(message_relaxed_with_fences, 4, 256, MESSAGE_ARRIVED)

__global__ void message_compiler_builtins(unsigned* d, unsigned* s) {
  pass_message(d, s, [](unsigned* f) { __atomic_store_n(f, 1u, __ATOMIC_RELEASE); },
               [](unsigned* f) { while (!__atomic_load_n(f, __ATOMIC_ACQUIRE)) spin(); });
}
PROGRAM(message_compiler_builtins, 4, 256, MESSAGE_ARRIVED)

// A wrapper as libraries have it.
template <class T>
struct AtomicRef {
  T* address;
  __device__ void store(T value) { __hip_atomic_store(address, value, __ATOMIC_RELEASE, AGENT); }
  __device__ T load() { return __hip_atomic_load(address, __ATOMIC_ACQUIRE, AGENT); }
};
__global__ void message_wrapper_of_64_bits(unsigned* d, unsigned* s) {
  using Ref = AtomicRef<unsigned long long>;
  pass_message(d, s, [](unsigned* f) { Ref{(unsigned long long*)f}.store(1ull << 40); },
               [](unsigned* f) { while (!Ref{(unsigned long long*)f}.load()) spin(); });
}
PROGRAM(message_wrapper_of_64_bits, 4, 256, MESSAGE_ARRIVED)

// Every wave fences for itself, then one lane tells; every reader fences behind the barrier.
__global__ void message_fences_beside_barriers(unsigned* d, unsigned* s) {
  if (GROUP == 0) {
    d[TID] = TID + 7;
    __threadfence();
    __syncthreads();
    if (TID == 0) atomicExch(s, 1u);
  } else {
    if (TID == 0)
      while (*(volatile unsigned*)s == 0) spin();
    __syncthreads();
    __threadfence();
    d[GROUP * 256 + TID] = d[255 - TID];
  }
}
PROGRAM(message_fences_beside_barriers, 4, 256, MESSAGE_ARRIVED)

// From workgroup to workgroup: the last one knows of the first through those between.
__global__ void message_passed_on(unsigned* d, unsigned* s) {
  if (GROUP == 0) d[TID] = TID + 7;
  if (GROUP && TID == 0)
    while (!__hip_atomic_load(s + GROUP, __ATOMIC_ACQUIRE, AGENT)) spin();
  __syncthreads();
  if (GROUP == 3) d[256 + TID] = d[255 - TID];
  if (TID == 0) __hip_atomic_store(s + GROUP + 1, 1u, __ATOMIC_RELEASE, AGENT);
}
PROGRAM(message_passed_on, 4, 256, MESSAGE_ARRIVED)

__global__ void last_workgroup_sums(unsigned* d, unsigned* s) {
  __shared__ unsigned sums[256];
  __shared__ bool last;
  sums[TID] = ID;
  __syncthreads();
  for (unsigned half = 128; half; half /= 2) {
    if (TID < half) sums[TID] += sums[TID + half];
    __syncthreads();
  }
  if (TID == 0) {
    d[1 + GROUP] = sums[0];
    __threadfence();
    last = atomicInc(s, GROUPS - 1) == GROUPS - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (TID == 0) {
    unsigned total = 0;
    for (unsigned g = 0; g < GROUPS; ++g) total += d[1 + g];
    d[0] = total;
  }
}
PROGRAM(last_workgroup_sums, 16, 256, d[0] == 4096u * 4095 / 2)

__global__ void last_workgroup_acquire_release(unsigned* d, unsigned* s) {
  d[256 + ID] = ID;
  __syncthreads();
  __shared__ bool last;
  if (TID == 0) last = __hip_atomic_fetch_add(s, 1u, __ATOMIC_ACQ_REL, AGENT) == GROUPS - 1;
  __syncthreads();
  if (last) d[TID] = d[256 + TID * GROUPS];
}
PROGRAM(last_workgroup_acquire_release, 8, 256,
        all_of(256, [=](unsigned i) { return d[i] == i * 8; }))

// As above, and the last one clears the counter for the next launch by a plain store.
__global__ void last_workgroup_clears_counter(unsigned* d, unsigned* s) {
  __shared__ bool last;
  d[256 + ID] = ID;
  __threadfence();
  __syncthreads();
  if (TID == 0) last = atomicAdd(s, 1u) == GROUPS - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  d[TID] = d[256 + TID * GROUPS];
  if (TID == 0) *s = 0;
}
PROGRAM(last_workgroup_clears_counter, 8, 256,
        s[0] == 0 && all_of(256, [=](unsigned i) { return d[i] == i * 8; }))

__global__ void counter_read_when_complete(unsigned* d, unsigned* s) {
  if (TID == 0) __hip_atomic_fetch_add(s, 3u, __ATOMIC_RELEASE, AGENT);
  if (GROUP || TID) return;
  while (__hip_atomic_load(s, __ATOMIC_ACQUIRE, AGENT) != 3 * GROUPS) spin();
  d[0] = *s;
  *s = 5;
}
PROGRAM(counter_read_when_complete, 8, 64, d[0] == 24 && s[0] == 5)

// A workgroup that never looked at the counter itself hears from another that it is complete.
__global__ void counter_read_by_another(unsigned* d, unsigned* s) {
  if (TID) return;
  if (GROUP > 1) __hip_atomic_fetch_add(s, 3u, __ATOMIC_RELEASE, AGENT);
  if (GROUP == 0) {
    while (__hip_atomic_load(s, __ATOMIC_ACQUIRE, AGENT) != 3 * (GROUPS - 2)) spin();
    __hip_atomic_store(s + 1, 1u, __ATOMIC_RELEASE, AGENT);
  } else if (GROUP == 1) {
    while (!__hip_atomic_load(s + 1, __ATOMIC_ACQUIRE, AGENT)) spin();
    d[0] = *s;
  }
}
PROGRAM(counter_read_by_another, 8, 64, d[0] == 18)

__global__ void spin_lock(unsigned* d, unsigned* s) {
  if (TID % 64) return;
  while (atomicCAS(s, 0u, 1u) != 0) spin();
  __threadfence();
  d[0] = d[0] + 1;
  d[1] = d[1] + d[0];
  __threadfence();
  atomicExch(s, 0u);
}
PROGRAM(spin_lock, 8, 256, d[0] == 32 && d[1] == 33 * 16)

__global__ void spin_lock_acquire_release(unsigned* d, unsigned* s) {
  if (TID % 64) return;
  unsigned none = 0;
  while (!__hip_atomic_compare_exchange_strong(s, &none, 1u, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
                                               AGENT)) {
    none = 0;
    spin();
  }
  d[0] = d[0] + 1;
  __hip_atomic_store(s, 0u, __ATOMIC_RELEASE, AGENT);
}
PROGRAM(spin_lock_acquire_release, 8, 256, d[0] == 32)

__global__ void ticket_lock(unsigned* d, unsigned* s) {
  if (TID) return;
  unsigned mine = atomicAdd(s, 1u);
  while (__hip_atomic_load(s + 1, __ATOMIC_ACQUIRE, AGENT) != mine) spin();
  d[mine] = mine ? d[mine - 1] + 3 : 3;
  __hip_atomic_store(s + 1, mine + 1, __ATOMIC_RELEASE, AGENT);
}
PROGRAM(ticket_lock, 12, 64, d[11] == 36)

__global__ void lock_in_lds(unsigned* d, unsigned*) {
  __shared__ unsigned lock, sum;
  if (TID == 0) lock = 0, sum = 0;
  __syncthreads();
  if (TID % 64 == 0) {
    while (atomicCAS(&lock, 0u, 1u) != 0) spin();
    sum = sum + 1;
    __threadfence_block();
    __hip_atomic_store(&lock, 0u, __ATOMIC_RELEASE, WORKGROUP);
  }
  __syncthreads();
  if (TID == 0) d[GROUP] = sum;
}
PROGRAM(lock_in_lds, 2, 512, d[0] == 8 && d[1] == 8)

__global__ void flag_in_lds(unsigned* d, unsigned*) {
  __shared__ unsigned flag, data[64];
  if (TID == 0) flag = 0;
  __syncthreads();
  if (TID >= 192) {
    data[TID - 192] = TID;
    if (TID == 255) __hip_atomic_store(&flag, 1u, __ATOMIC_RELEASE, WORKGROUP);
  } else {
    while (!__hip_atomic_load(&flag, __ATOMIC_ACQUIRE, WORKGROUP)) spin();
    d[TID] = data[TID % 64];
  }
}
PROGRAM(flag_in_lds, 1, 256, all_of(192, [=](unsigned i) { return d[i] == 192 + i % 64; }))

__global__ void arrivals_in_lds(unsigned* d, unsigned*) {
  __shared__ unsigned arrived, data[256];
  if (TID == 0) arrived = 0;
  __syncthreads();
  data[TID] = TID;
  __threadfence_block();
  if (TID % 64 == 0) atomicAdd(&arrived, 1u);
  if (TID >= 64) return;
  while (*(volatile unsigned*)&arrived != 4) spin();
  __threadfence_block();
  d[TID] = data[255 - TID];
}
PROGRAM(arrivals_in_lds, 1, 256, all_of(64, [=](unsigned i) { return d[i] == 255 - i; }))

__global__ UNOPTIMISED void arrivals_not_optimised(unsigned* d, unsigned*) {
  __shared__ unsigned arrived, data[256];
  if (TID == 0) arrived = 0;
  __syncthreads();
  data[TID] = TID;
  __threadfence_block();
  if (TID % 64 == 0) atomicAdd(&arrived, 1u);
  if (TID >= 64) return;
  while (*(volatile unsigned*)&arrived != 4) spin();
  __threadfence_block();
  d[TID] = data[255 - TID];
}
PROGRAM(arrivals_not_optimised, 1, 256, all_of(64, [=](unsigned i) { return d[i] == 255 - i; }))

__global__ void flag_in_workgroup_scope(unsigned* d, unsigned* s) {
  if (TID >= 64) {
    d[TID] = TID;
    __hip_atomic_fetch_add(s + GROUP, 1u, __ATOMIC_RELEASE, WORKGROUP);
  } else {
    while (__hip_atomic_load(s, __ATOMIC_ACQUIRE, WORKGROUP) != 64) spin();
    d[TID] = d[TID + 64] + 1;
  }
}
PROGRAM(flag_in_workgroup_scope, 1, 128, all_of(64, [=](unsigned i) { return d[i] == i + 65; }))

// Status and value in one word: nothing else needs an order.
__global__ void look_back_in_one_word(unsigned* d, unsigned* s) {
  if (TID) return;
  auto* state = (unsigned long long*)s;
  auto tell = [&](unsigned status, unsigned value) {
    __hip_atomic_store(state + GROUP, (unsigned long long)status << 32 | value, __ATOMIC_RELAXED,
                       AGENT);
  };
  unsigned mine = GROUP + 1, before = 0;
  tell(GROUP ? 1 : 2, mine);
  for (int g = int(GROUP) - 1; g >= 0;) {
    unsigned long long seen = __hip_atomic_load(state + g, __ATOMIC_RELAXED, AGENT);
    if (seen >> 32 == 0) continue;
    before += unsigned(seen);
    if (seen >> 32 == 2) break;
    --g;
  }
  if (GROUP) tell(2, before + mine);
  d[GROUP] = before + mine;
}
PROGRAM(look_back_in_one_word, 40, 64,
        all_of(40, [=](unsigned i) { return d[i] == (i + 1) * (i + 2) / 2; }))

// Values beside their status: release and acquire order them.
__global__ void look_back_with_fences(unsigned* d, unsigned* s) {
  if (TID) return;
  unsigned *sums = d + 256, *totals = d + 512, mine = GROUP + 1, before = 0;
  sums[GROUP] = mine;
  __hip_atomic_store(s + GROUP, 1u, __ATOMIC_RELEASE, AGENT);
  for (int g = int(GROUP) - 1; g >= 0;) {
    unsigned status = __hip_atomic_load(s + g, __ATOMIC_ACQUIRE, AGENT);
    if (status == 0) continue;
    before += status == 2 ? totals[g] : sums[g];
    if (status == 2) break;
    --g;
  }
  totals[GROUP] = before + mine;
  __hip_atomic_store(s + GROUP, 2u, __ATOMIC_RELEASE, AGENT);
  d[GROUP] = before + mine;
}
PROGRAM(look_back_with_fences, 40, 64,
        all_of(40, [=](unsigned i) { return d[i] == (i + 1) * (i + 2) / 2; }))

__device__ void grid_barrier(unsigned* count, unsigned target) {
  __syncthreads();
  if (TID == 0) {
    __threadfence();
    atomicAdd(count, 1u);
    while (*(volatile unsigned*)count < target) spin();
    __threadfence();
  }
  __syncthreads();
}
__global__ void grid_barrier_by_hand(unsigned* d, unsigned* s) {
  unsigned value = ID;
  for (unsigned round = 1; round <= 4; ++round) {
    unsigned* now = d + round % 2 * 4096;
    now[ID] = value + 1;
    grid_barrier(s, round * GROUPS);
    value = now[(ID + 256) % (GROUPS * 256)];
  }
  d[16384 + ID] = value;
}
PROGRAM(grid_barrier_by_hand, 8, 256,
        all_of(2048, [=](unsigned i) { return d[16384 + i] == (i + 1024) % 2048 + 4; }))

__global__ void grid_sync(unsigned* d, unsigned*) {
  unsigned value = ID;
  for (unsigned round = 1; round <= 3; ++round) {
    unsigned* now = d + round % 2 * 4096;
    now[ID] = value + 1;
    cg::this_grid().sync();
    value = now[(ID + 256) % (GROUPS * 256)];
  }
  d[16384 + ID] = value;
}
PROGRAM(grid_sync, 8, 256,
        all_of(2048, [=](unsigned i) { return d[16384 + i] == (i + 768) % 2048 + 3; }))

__global__ void tree_reduction(unsigned* d, unsigned*) {
  __shared__ unsigned sums[256];
  sums[TID] = ID;
  for (unsigned half = 128; half; half /= 2) {
    __syncthreads();
    if (TID < half) sums[TID] += sums[TID + half];
  }
  if (TID == 0) d[GROUP] = sums[0];
}
PROGRAM(tree_reduction, 4, 256, d[1] == 256 * 256 + 255 * 128)

__global__ void wave_reduction_volatile(unsigned* d, unsigned*) {
  __shared__ unsigned sums[256];
  volatile unsigned* mine = sums + TID / 64 * 64;
  unsigned lane = TID % 64;
  mine[lane] = ID;
  for (unsigned half = 32; half; half /= 2)
    if (lane < half) mine[lane] = mine[lane] + mine[lane + half];
  if (lane == 0) d[ID / 64] = mine[0];
}
PROGRAM(wave_reduction_volatile, 2, 256, d[1] == 64 * 64 + 63 * 32)

__global__ void wave_exchange_with_wave_barrier(unsigned* d, unsigned*) {
  __shared__ unsigned tile[256];
  tile[TID] = ID;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
  d[ID] = tile[TID ^ 63];
}
PROGRAM(wave_exchange_with_wave_barrier, 2, 256,
        all_of(512, [=](unsigned i) { return d[i] == (i ^ 63); }))

__global__ void double_buffer(unsigned* d, unsigned*) {
  __shared__ unsigned tile[2][256];
  unsigned value = ID;
  for (int round = 0; round < 6; ++round) {
    tile[round & 1][TID] = value;
    __syncthreads();
    value = tile[round & 1][255 - TID] + 1;
  }
  d[ID] = value;
}
PROGRAM(double_buffer, 2, 256, all_of(512, [=](unsigned i) { return d[i] == i + 6; }))

__global__ void double_checked_locking(unsigned* d, unsigned* s) {
  if (TID % 64) return;
  if (!__hip_atomic_load(s, __ATOMIC_ACQUIRE, AGENT)) {
    while (atomicCAS(s + 1, 0u, 1u) != 0) spin();
    __threadfence();
    if (!__hip_atomic_load(s, __ATOMIC_RELAXED, AGENT)) {
      d[0] = 42;
      __hip_atomic_store(s, 1u, __ATOMIC_RELEASE, AGENT);
    }
    __threadfence();
    atomicExch(s + 1, 0u);
  }
  d[1 + ID / 64] = d[0];
}
PROGRAM(double_checked_locking, 8, 128, all_of(16, [=](unsigned i) { return d[1 + i] == 42; }))

__global__ void sequence_lock(unsigned* d, unsigned* s) {
  if (TID) return;
  if (GROUP == 0) {
    for (unsigned n = 1; n <= 20; ++n) {
      __hip_atomic_store(s, 2 * n - 1, __ATOMIC_RELAXED, AGENT);
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
      __hip_atomic_store(d, n, __ATOMIC_RELAXED, AGENT);
      __hip_atomic_store(d + 1, 3 * n, __ATOMIC_RELAXED, AGENT);
      __hip_atomic_store(s, 2 * n, __ATOMIC_RELEASE, AGENT);
    }
    return;
  }
  unsigned a, b, before, after;
  do {
    before = __hip_atomic_load(s, __ATOMIC_ACQUIRE, AGENT);
    a = __hip_atomic_load(d, __ATOMIC_RELAXED, AGENT);
    b = __hip_atomic_load(d + 1, __ATOMIC_RELAXED, AGENT);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    after = __hip_atomic_load(s, __ATOMIC_RELAXED, AGENT);
  } while (before != after || before % 2 || before < 6);
  d[64 + GROUP] = b == 3 * a;
}
PROGRAM(sequence_lock, 4, 64, d[65] && d[66] && d[67])
