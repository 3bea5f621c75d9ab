#include "data.h"

// a: one stream walks through maps, each walk from where another one ended in the map before;
// another stream rates what was found.
constexpr int kMaps = 20, kWalkers = 1 << 16, kPlaces = 1 << 14, kHops = 24;

__global__ void prepare_places(int* places) {
  places[work_item()] = hashed(work_item() / 64 + 3) % kPlaces | hashed(work_item()) % 256 << 16;
}

__global__ void walk(const int* places, const int* before, int* found) {
  const int ended = before[(work_item() + 64 * 37) % kWalkers] >> 16;
  int place = (ended + work_item() / 64) % kPlaces, sum = 0;
  for (int hop = 0; hop < kHops; ++hop) {
    const int here = places[place * 64 + threadIdx.x % 64];
    place = here & (kPlaces - 1);
    sum += here >> 16;
  }
  found[work_item()] = sum | place << 16;
}

__global__ void rate(const int* places, const int* found, int* ratings) {
  int place = found[work_item()] >> 16, rating = found[work_item()] & 0xffff;
  for (int hop = 0; hop < kHops; ++hop) {
    const int here = places[place * 64 + threadIdx.x % 64];
    place = here & (kPlaces - 1);
    rating = max(rating, here >> 12);
  }
  ratings[work_item()] += rating;
}

double a(int variant) {
  int* places = filled<int>(kPlaces * 64, 0);
  prepare_places<<<kPlaces * 64 / 256, 256>>>(places);
  int* found = filled<int>((kMaps + 1) * kWalkers, 0);
  int* ratings = filled<int>(kWalkers, 0);
  hipStream_t walks, rates;
  hipEvent_t walked[kMaps];
  HIP_CHECK(hipStreamCreate(&walks));
  HIP_CHECK(hipStreamCreate(&rates));
  for (auto& event : walked) HIP_CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  HIP_CHECK(hipDeviceSynchronize());
  for (int map = 0; map < kMaps; ++map) {
    const int* before = found + map * kWalkers;
    int* now = found + (map + 1) * kWalkers;
    walk<<<kWalkers / 256, 256, 0, walks>>>(places, before, now);
    HIP_CHECK(hipEventRecord(walked[map], walks));
    if (variant) HIP_CHECK(hipStreamWaitEvent(rates, walked[map], 0));
    else HIP_CHECK(hipEventSynchronize(walked[map]));
    rate<<<kWalkers / 256, 256, 0, rates>>>(places, now, ratings);
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(ratings, kWalkers);
}

// b: four models, each followed in 2500 steps from 8192 beginnings.
constexpr int kBeginnings = 1 << 13, kMoves = 2500;

struct State {
  float x, y;
};

template <int kModel>
__device__ State moved(State s) {
  constexpr float kStep = 0.01f;
  if (kModel == 0) return {s.x + kStep * s.y, s.y - kStep * s.x};
  if (kModel == 1) return {s.x + kStep * s.x * (1 - s.y), s.y + kStep * s.y * (s.x - 1)};
  if (kModel == 2) return {s.x + kStep * s.y, s.y + kStep * ((1 - s.x * s.x) * s.y - s.x)};
  return {s.x + kStep * (s.y - s.x), s.y + kStep * (1 - s.x * s.y)};
}

template <int kModel>
__global__ void follow(const float* begin, float* end) {
  State s = {begin[work_item()] * 0.0078125f + 0.5f, 1};
  for (int k = 0; k < kMoves; ++k) s = moved<kModel>(s);
  end[kModel * kBeginnings + work_item()] = s.x + s.y;
}

double b(int variant) {
  float* begin = mixed<float>(kBeginnings, 64);
  float* end = filled<float>(4 * kBeginnings, 0);
  hipStream_t streams[4];
  for (auto& stream : streams) HIP_CHECK(hipStreamCreate(&stream));
  HIP_CHECK(hipDeviceSynchronize());
  const auto on = [&](int k) { return streams[variant ? k : 0]; };
  follow<0><<<kBeginnings / 256, 256, 0, on(0)>>>(begin, end);
  follow<1><<<kBeginnings / 256, 256, 0, on(1)>>>(begin, end);
  follow<2><<<kBeginnings / 256, 256, 0, on(2)>>>(begin, end);
  follow<3><<<kBeginnings / 256, 256, 0, on(3)>>>(begin, end);
  HIP_CHECK(hipDeviceSynchronize());
  return total(end, 4 * kBeginnings);
}

// c: frames of a film, which the host fills; a window of 512 x 512 of each is added up.
constexpr int kFrames = 6, kEdge = 1024, kWindow = 512, kCorner = 256 * kEdge + 256;

__global__ void expose(const int* window, int across, int* film) {
  const int i = work_item();
  film[i] += min(window[i / kWindow * across + i % kWindow], 4000) >> 2;
}

double c(int variant) {
  constexpr size_t kLine = kEdge * sizeof(int), kPart = kWindow * sizeof(int);
  std::vector<int> host(kEdge * kEdge);
  int* frame = filled<int>(kEdge * kEdge, 0);
  int* film = filled<int>(kWindow * kWindow, 0);
  for (int k = 0; k < kFrames; ++k) {
    for (int i = 0; i < kEdge * kEdge; ++i) host[i] = (i * 13 + k * 101) & 8191;
    if (variant)
      HIP_CHECK(hipMemcpy2D(frame, kPart, &host[kCorner], kLine, kPart, kWindow,
                            hipMemcpyHostToDevice));
    else HIP_CHECK(hipMemcpy(frame, host.data(), kLine * kEdge, hipMemcpyHostToDevice));
    expose<<<kWindow * kWindow / 256, 256>>>(variant ? frame : frame + kCorner,
                                             variant ? kWindow : kEdge, film);
  }
  return total(film, kWindow * kWindow);
}

// d: how near 16 questions are to 256 texts, vectors of 64 numbers, a text in each work-item.
constexpr int kAsked = 304 * 4 * 16, kTexts = 256, kTile = 64, kFours = 16, kOwn = 4;

template <int kVariant>
__device__ int slot(int text, int four) {
  return kVariant ? four ^ text % kFours : four;
}

template <int kVariant>
__global__ __launch_bounds__(256) void compare(const float4* __restrict__ asked,
                                               const float4* __restrict__ texts,
                                               float* __restrict__ out) {
  __shared__ float4 tile[kTile][kFours];
  const int t = threadIdx.x, lane = t % 64;
  const int first = blockIdx.x * 16 + __builtin_amdgcn_readfirstlane(t / 64) * kOwn;
  for (int from = 0; from < kTexts; from += kTile) {
    for (int row = t / kFours; row < kTile; row += 256 / kFours)
      tile[row][slot<kVariant>(row, t % kFours)] = texts[(from + row) * kFours + t % kFours];
    __syncthreads();
    float sums[kOwn] = {};
#pragma unroll 4
    for (int four = 0; four < kFours; ++four) {
      const float4 text = tile[lane][slot<kVariant>(lane, four)];
#pragma unroll
      for (int k = 0; k < kOwn; ++k) {
        const float4 question = asked[(first + k) * kFours + four];
        sums[k] += question.x * text.x + question.y * text.y + question.z * text.z +
                   question.w * text.w;
      }
    }
#pragma unroll
    for (int k = 0; k < kOwn; ++k) out[(first + k) * kTexts + from + lane] = sums[k];
    __syncthreads();
  }
}

double d(int variant) {
  auto* asked = reinterpret_cast<float4*>(mixed<float>(kAsked * 64, 16));
  auto* texts = reinterpret_cast<float4*>(mixed<float>(kTexts * 64, 32));
  float* out = filled<float>(kAsked * kTexts, 0);
  VARIANT(variant, compare, <<<kAsked / 16, 256>>>(asked, texts, out));
  return total(out, kAsked * kTexts);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
