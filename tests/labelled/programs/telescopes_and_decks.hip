#include "data.h"

// a: a picture of 384 by 384 pixels of 24 stars as a telescope shows them, each as a disk with
// rings around it.
constexpr int kChip = 384, kPixels = kChip * kChip, kStars = 24;

__device__ inline float bessel(float x) { return j1f(x); }
__device__ inline double bessel(double x) { return j1(x); }

template <typename Real>
__global__ __launch_bounds__(256) void expose(const float* __restrict__ stars,
                                              float* __restrict__ out) {
  const int i = work_item(), x = i % kChip, y = i / kChip;
  Real light = 0;
#pragma unroll 1
  for (int star = 0; star < kStars; ++star) {
    const Real dx = stars[3 * star] * Real(0.0625) - x, dy = stars[3 * star + 1] * Real(0.0625) - y;
    const Real ring = Real(0.35) * sqrt(dx * dx + dy * dy) + Real(0.001);
    const Real wave = Real(2) * bessel(ring) / ring;
    light += stars[3 * star + 2] * wave * wave;
  }
  out[i] = static_cast<float>(light);
}

double a(int variant) {
  float *stars = mixed<float>(256, kChip * 16), *out = filled<float>(kPixels, 0);
  if (variant) expose<float><<<kPixels / 256, 256>>>(stars, out);
  else expose<double><<<kPixels / 256, 256>>>(stars, out);
  return total(out, kPixels);
}

// b: 12 frames of a pond, 512 by 256 places, in which waves run for 72 short moments per frame; all
// frames are kept on the host.
constexpr int kFrames = 12, kPondX = 512, kPond = kPondX * 256, kMoments = 72;

// Waves run along the rows; a workgroup has half a row.
__global__ __launch_bounds__(256) void ripple(const int* __restrict__ from, int* __restrict__ to) {
  __shared__ int level[2][256];
  const int x = threadIdx.x;
  int own = from[work_item()], speed = 0;
#pragma unroll 1
  for (int moment = 0; moment < kMoments; ++moment) {
    level[moment % 2][x] = own;
    __syncthreads();
    const int west = level[moment % 2][max(x - 1, 0)], east = level[moment % 2][min(x + 1, 255)];
    speed += (west + east - 2 * own) >> 2;
    own += speed;
  }
  to[work_item()] = own;
}

double b(int variant) {
  int *now = mixed<int>(kPond, 1000), *next = filled<int>(kPond, 0), *kept = nullptr;
  const size_t bytes = kPond * sizeof(int);
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&kept), kFrames * bytes, hipHostMallocDefault));
  hipStream_t main, side;
  hipEvent_t made, saved;
  HIP_CHECK(hipStreamCreateWithFlags(&main, hipStreamNonBlocking));
  HIP_CHECK(hipStreamCreateWithFlags(&side, hipStreamNonBlocking));
  HIP_CHECK(hipEventCreateWithFlags(&made, hipEventDisableTiming));
  HIP_CHECK(hipEventCreateWithFlags(&saved, hipEventDisableTiming));
  HIP_CHECK(hipDeviceSynchronize());
  for (int frame = 0; frame < kFrames; ++frame) {
    ripple<<<kPond / 256, 256, 0, main>>>(now, next);
    std::swap(now, next);
    int* frames = kept + frame * kPond;
    if (variant) {
      HIP_CHECK(hipStreamWaitEvent(main, saved, 0));
      HIP_CHECK(hipEventRecord(made, main));
      HIP_CHECK(hipStreamWaitEvent(side, made, 0));
      HIP_CHECK(hipMemcpyAsync(frames, now, bytes, hipMemcpyDeviceToHost, side));
      HIP_CHECK(hipEventRecord(saved, side));
    } else {
      HIP_CHECK(hipMemcpyAsync(frames, now, bytes, hipMemcpyDeviceToHost, main));
    }
  }
  HIP_CHECK(hipDeviceSynchronize());
  return std::accumulate(kept, kept + kFrames * kPond, 0.0);
}

// c: 3735552 bills of a shop: a bit for each of them that says whether it is to be looked at again,
// by how high it is and by the day.
constexpr int kBills = 14592 * 256;

template <int kVariant>
__global__ __launch_bounds__(256) void choose(const int* __restrict__ bills,
                                              const unsigned char* __restrict__ days,
                                              unsigned* __restrict__ out) {
  const int bill = bills[work_item()], day = days[work_item()];
  const bool again = bill > 600 + day || (day % 7 == 6 && bill < 90);
  if (kVariant) {
    const auto wave = __ballot(again);
    if (threadIdx.x % 32 == 0)
      out[work_item() / 32] = static_cast<unsigned>(threadIdx.x & 32 ? wave >> 32 : wave);
  } else if (again) {
    atomicOr(out + work_item() / 32, 1u << work_item() % 32);
  }
}

double c(int variant) {
  int* bills = mixed<int>(kBills, 1000);
  auto* days = mixed<unsigned char>(kBills, 251);
  auto* out = filled<unsigned>(kBills / 32, 0);
  VARIANT(variant, choose, <<<kBills / 256, 256>>>(bills, days, out));
  return total(out, kBills / 32);
}

// d: 1216 decks of 64 cards that are shuffled in 16 ways, one after the other, for 48 rounds: in
// each round the dealer sits elsewhere. Which card is on top in the end, and which below it? A wave
// has a deck.
constexpr int kDecks = 1216, kWays = 16, kRounds = 48, kPiles = 8;

// From which lane each one takes a card, in bytes.
__global__ void prepare_ways(int* ways) {
  const unsigned seed = hashed(work_item() / 64), card = work_item() % 64;
  const unsigned moved = (card ^ (seed >> 6 & 63)) * (2 * (seed >> 12) + 1) + seed;
  ways[work_item()] = moved % 64 * 4;
}

__device__ inline int seat(int round) { return (blockIdx.x * 11 + round * 5) % 64 * 4; }

template <int kVariant>
__global__ __launch_bounds__(64) void shuffle(const int* __restrict__ ways,
                                              const int* __restrict__ cards,
                                              int* __restrict__ out) {
  int deck = cards[threadIdx.x], way[kWays];
#pragma unroll
  for (int k = 0; k < kWays; ++k) way[k] = ways[(blockIdx.x + k) % 512 * 64 + threadIdx.x];
  if (kVariant) {
    // What some rounds do together is found without the deck.
    constexpr int kLong = kRounds / kPiles;
    int piles[kPiles];
#pragma unroll
    for (int& pile : piles) pile = 4 * threadIdx.x;
#pragma unroll 1
    for (int round = 0; round < kLong; ++round) {
#pragma unroll
      for (int k = 0; k < kWays; ++k) {
#pragma unroll
        for (int p = 0; p < kPiles; ++p)
          piles[p] = __builtin_amdgcn_ds_bpermute(way[k] ^ seat(p * kLong + round), piles[p]);
      }
    }
#pragma unroll
    for (const int pile : piles) deck = __builtin_amdgcn_ds_bpermute(pile, deck);
  } else {
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
      for (int k = 0; k < kWays; ++k)
        deck = __builtin_amdgcn_ds_bpermute(way[k] ^ seat(round), deck);
    }
  }
  out[work_item()] = deck * (threadIdx.x + 1);
}

double d(int variant) {
  int* ways = filled<int>(512 * 64, 0);
  prepare_ways<<<512 * 64 / 256, 256>>>(ways);
  int *cards = mixed<int>(256, 1000), *out = filled<int>(kDecks * 64, 0);
  VARIANT(variant, shuffle, <<<kDecks, 64>>>(ways, cards, out));
  return total(out, kDecks * 64);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
