// Device functions against what the host computes. Prints one line per mismatch; exits with 0 when
// there is none.
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device_groups.h"
#include "device_vectors.h"

namespace cg = cooperative_groups;

#define HIP_CHECK(call)                                                                     \
  do {                                                                                      \
    const hipError_t status_ = (call);                                                      \
    if (status_ != hipSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status_));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

// Lane by lane: expected[lane][k] == got[lane][k].
constexpr int kLanes = 64, kSlots = 24;
static int failures = 0;

template <class Kernel, class Expect>
void check(const char* name, int slots, Kernel kernel, Expect expect) {
  long long *device, got[kLanes * kSlots];
  HIP_CHECK(hipMalloc(&device, sizeof(got)));
  HIP_CHECK(hipMemset(device, 0xee, sizeof(got)));
  kernel<<<1, kLanes>>>(device);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(got, device, sizeof(got), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(device));
  for (int lane = 0; lane < kLanes; ++lane)
    for (int k = 0; k < slots; ++k)
      if (got[lane * kSlots + k] != expect(lane, k)) {
        ++failures;
        std::printf("%s lane %d slot %d: got %lld, expected %lld\n", name, lane, k,
                    got[lane * kSlots + k], static_cast<long long>(expect(lane, k)));
      }
}

// --- shuffles, votes -----------------------------------------------------------------------------
__global__ void shuffles(long long* out) {
  const int lane = threadIdx.x;
  long long* to = out + lane * kSlots;
  to[0] = __shfl(lane * 3, 5);
  to[1] = __shfl(lane * 3, lane + 1, 16);
  to[2] = __shfl_up(lane, 3);
  to[3] = __shfl_up(lane, 3, 8);
  to[4] = __shfl_down(lane, 5);
  to[5] = __shfl_down(lane, 5, 32);
  to[6] = __shfl_xor(lane, 9);
  to[7] = __shfl_xor(lane * 0x100000001ll, 1);
  to[8] = static_cast<long long>(__shfl_xor(lane * 0.5, 2) * 2);
  to[9] = __ballot(lane % 3 == 0);
  to[10] = __any(lane == 63) + 2 * __any(lane == 64);
  to[11] = __all(lane < 64) + 2 * __all(lane < 63);
  to[12] = __match_any(lane / 4);
  int same;
  to[13] = __match_all(7, &same) + same;
  to[14] = __reduce_add_sync(lane / 8 == 1 ? 0xff00ull : ~0xff00ull, lane);
  to[15] = __lanemask_lt();
  to[16] = __half2float(__shfl_xor(__float2half(lane), 1));
  to[17] = lane % 2 ? static_cast<long long>(__popcll(__activemask())) : 32;
}
long long expect_shuffle(int lane, int k) {
  const unsigned long long below = lane ? ~0ull >> (64 - lane) : 0;
  unsigned long long thirds = 0;
  for (int i = 0; i < 64; i += 3) thirds |= 1ull << i;
  switch (k) {
    case 0: return 15;
    case 1: return (lane / 16 * 16 + (lane + 1) % 16) * 3;
    case 2: return lane < 3 ? lane : lane - 3;
    case 3: return lane % 8 < 3 ? lane : lane - 3;
    case 4: return lane + 5 > 63 ? lane : lane + 5;
    case 5: return lane % 32 + 5 > 31 ? lane : lane + 5;
    case 6: return lane ^ 9;
    case 7: return (lane ^ 1) * 0x100000001ll;
    case 8: return lane ^ 2;
    case 9: return thirds;
    case 10: return 1;
    case 11: return 1;
    case 12: return 0xfll << (lane / 4 * 4);
    case 13: return 0;  // all lanes: the mask is -1, and the predicate adds one
    case 14: return lane / 8 == 1 ? 92 : 2016 - 92;
    case 15: return below;
    case 16: return lane ^ 1;
    default: return 32;
  }
}

// --- integers ------------------------------------------------------------------------------------
__global__ void integers(long long* out) {
  const unsigned int x = 0x9e3779b9u * (threadIdx.x + 1), y = 0x85ebca6bu * (threadIdx.x + 3);
  const unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y;
  long long* to = out + threadIdx.x * kSlots;
  to[0] = __popc(x);
  to[1] = __clz(static_cast<int>(x >> threadIdx.x % 32));
  to[2] = __ffs(x << threadIdx.x % 32);
  to[3] = __brev(x);
  to[4] = __byte_perm(x, y, 0x7351);
  to[5] = __funnelshift_l(x, y, threadIdx.x);
  to[6] = __funnelshift_r(x, y, threadIdx.x);
  to[7] = __mul24(x, y);
  to[8] = static_cast<unsigned int>(__umul24(x, y));
  to[9] = __mulhi(static_cast<int>(x), static_cast<int>(y));
  to[10] = __umulhi(x, y);
  to[11] = __mul64hi(static_cast<long long>(wide), 12345678901234567ll);
  to[12] = __hadd(static_cast<int>(x), static_cast<int>(y));
  to[13] = __urhadd(x, y);
  to[14] = __sad(static_cast<int>(x) / 4, static_cast<int>(y) / 4, 5u);
  to[15] = __bitextract_u32(x, 5, 9);
  to[16] = __bitinsert_u32(x, y, 5, 9);
  to[17] = __popcll(wide) * 1000 + __clzll(static_cast<long long>(wide >> threadIdx.x)) * 100 +
           __ffsll(wide << threadIdx.x);
}
long long expect_integer(int lane, int k) {
  const unsigned int x = 0x9e3779b9u * (lane + 1), y = 0x85ebca6bu * (lane + 3);
  const unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y;
  const unsigned long long pair = static_cast<unsigned long long>(y) << 32 | x;  // hi:lo
  const int sx = static_cast<int>(x), sy = static_cast<int>(y);
  unsigned int reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
  const unsigned int shifted = x >> lane % 32, left = x << lane % 32;
  const unsigned long long wide_right = wide >> lane, wide_left = wide << lane;
  auto byte = [&](int i) { return static_cast<unsigned int>(pair >> (8 * i) & 0xff); };
  switch (k) {
    case 0: return __builtin_popcount(x);
    case 1: return shifted ? __builtin_clz(shifted) : 32;
    case 2: return __builtin_ffs(left);
    case 3: return reversed;
    case 4: return byte(1) | byte(5) << 8 | byte(3) << 16 | byte(7) << 24;
    case 5: return static_cast<unsigned int>(pair << lane % 32 >> 32);
    case 6: return static_cast<unsigned int>(pair >> lane % 32);
    case 7: return static_cast<int>(static_cast<long long>(sx << 8 >> 8) * (sy << 8 >> 8));
    case 8: return (x & 0xffffff) * (y & 0xffffff);
    case 9: return static_cast<long long>(sx) * sy >> 32;
    case 10: return static_cast<unsigned long long>(x) * y >> 32;
    case 11: return static_cast<__int128>(static_cast<long long>(wide)) * 12345678901234567ll >> 64;
    case 12: return (static_cast<long long>(sx) + sy) >> 1;
    case 13: return (static_cast<unsigned long long>(x) + y + 1) >> 1;
    case 14: return static_cast<unsigned int>(std::abs(sx / 4 - sy / 4) + 5);
    case 15: return x >> 5 & 0x1ff;
    case 16: return (x & ~(0x1ffu << 5)) | (y & 0x1ff) << 5;
    default:
      return __builtin_popcountll(wide) * 1000 +
             (wide_right ? __builtin_clzll(wide_right) : 64) * 100 + __builtin_ffsll(wide_left);
  }
}

// --- floating point formats ----------------------------------------------------------------------
__host__ __device__ float sample(int lane) { return (lane - 31) * 1.37f + lane * lane * 0.001f; }

__host__ __device__ long long format_result(int lane, int k) {
  const float x = sample(lane);
  switch (k) {
    case 0: return __hip_fp8_e4m3_fnuz(x).__x;
    case 1: return __hip_fp8_e5m2_fnuz(x).__x;
    case 2: return __hip_fp8_e4m3(x).__x;
    case 3: return __hip_fp8_e5m2(x).__x;
    case 4: return static_cast<long long>(static_cast<float>(__hip_fp8_e4m3_fnuz(x)) * 4096);
    case 5: return static_cast<long long>(static_cast<float>(__hip_fp8_e5m2_fnuz(x)) * 4096);
    case 6: return __bfloat16_as_ushort(__float2bfloat16(x) * __float2bfloat16(1.1f));
    case 7: return __half_as_ushort(__float2half_rd(x));
    case 8: return __half_as_ushort(__float2half_ru(x));
    case 9: return __half_as_ushort(__float2half_rz(x));
    case 10: return __half_as_ushort(__float2half(x) * __float2half(0.3f));
    default: return __half2int_rn(__float2half(x)) * 1000 + __half2int_ru(__float2half(x));
  }
}
__global__ void formats(long long* out) {
  for (int k = 0; k < 12; ++k) out[threadIdx.x * kSlots + k] = format_result(threadIdx.x, k);
}

// --- cooperative groups --------------------------------------------------------------------------
__global__ void groups(long long* out) {
  const int lane = threadIdx.x;
  long long* to = out + lane * kSlots;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const auto small = cg::tiled_partition<4>(tile);
  to[0] = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size();
  to[1] = small.shfl(lane, 0);
  to[2] = tile.ballot(lane % 2);
  to[3] = tile.shfl_xor(lane, 3);
  int sum = lane;
  for (int i = tile.size() / 2; i > 0; i /= 2) sum += tile.shfl_xor(sum, i);
  to[4] = sum;
  to[5] = block.size() + block.thread_rank();
  to[6] = -1;
  if (lane % 3 == 1) {
    const auto active = cg::coalesced_threads();
    to[6] = active.size() * 10000 + active.thread_rank() * 100 + active.shfl(lane, 2);
  }
  const cg::thread_group half = cg::tiled_partition(block, 32);
  to[7] = half.size() * 100 + half.thread_rank();
}
long long expect_group(int lane, int k) {
  switch (k) {
    case 0: return lane % 16 + 100 * (lane / 16) + 10000 * 4;
    case 1: return lane / 4 * 4;
    case 2: return 0xaaaa;
    case 3: return lane ^ 3;
    case 4: return lane / 16 * 16 * 16 + 120;
    case 5: return 64 + lane;
    case 6: return lane % 3 == 1 ? 21 * 10000 + lane / 3 * 100 + 7 : -1;
    default: return 3200 + lane % 32;
  }
}

// --- malloc, atomics -----------------------------------------------------------------------------
__global__ void heap(long long* out) {
  const int lane = threadIdx.x;
  long long* to = out + lane * kSlots;
  long long wrong = 0;
  for (int round = 0; round < 3; ++round) {
    const int n = 4 + lane % 7 * (round + 1);
    int* mine = static_cast<int*>(malloc(n * sizeof(int)));
    if (!mine) ++wrong;
    for (int i = 0; mine && i < n; ++i) mine[i] = lane * 1000 + i;
    __syncthreads();
    for (int i = 0; mine && i < n; ++i) wrong += mine[i] != lane * 1000 + i;
    free(mine);
    __syncthreads();
  }
  to[0] = wrong;
  to[1] = malloc(1ull << 40) == nullptr;
  __shared__ unsigned int counter;
  __shared__ float total;
  if (lane == 0) counter = 0, total = 0.0f;
  __syncthreads();
  atomicInc(&counter, 9);
  atomicAdd(&total, 0.5f);
  __syncthreads();
  to[2] = counter;
  to[3] = static_cast<long long>(total);
  to[4] = __syncthreads_count(lane % 4 == 0) * 100 + __syncthreads_and(lane < 64) * 10 +
          __syncthreads_or(lane == 99);
}
long long expect_heap(int, int k) {
  const long long expected[] = {0, 1, 64 % 10, 32, 1610};
  return expected[k];
}

// What the named constants of bfloat16 stand for.
bool constants_are_right() {
  const float nan = HIPRT_NAN_BF16, zero = HIPRT_NEG_ZERO_BF16;
  return static_cast<float>(HIPRT_ZERO_BF16) == 0.0f && zero == 0.0f && std::signbit(zero) &&
         static_cast<float>(HIPRT_ONE_BF16) == 1.0f && nan != nan &&
         static_cast<float>(HIPRT_MIN_DENORM_BF16) == 0x1p-133f &&
         static_cast<float>(HIPRT_MAX_NORMAL_BF16) == 0x1.fep127f &&
         std::isinf(static_cast<float>(HIPRT_INF_BF16));
}

int main() {
  if (!constants_are_right()) ++failures, std::printf("constants of bfloat16\n");
  check("shuffles", 18, shuffles, expect_shuffle);
  check("integers", 18, integers, expect_integer);
  check("formats", 12, formats, format_result);
  check("groups", 8, groups, expect_group);
  check("heap", 5, heap, expect_heap);
  failures += group_test::check_all();
  failures += vector_test::check_all();
  std::printf("%s device_functions: %d mismatches\n", failures ? "FAIL" : "PASS", failures);
  return failures != 0;
}
