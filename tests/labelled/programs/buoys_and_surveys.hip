#include "data.h"

int noise(unsigned value) {
  value = (value ^ value >> 15) * 2654435761u;
  return (value ^ value >> 13) >> 8 & 1023;
}

// a: how high waves are at 6080 buoys, by how much the last 64 heights of each of them vary; new
// heights come every second, 20 times.
constexpr int kBuoys = 6080, kLast = 64, kSeconds = 20;

__global__ __launch_bounds__(64) void vary(const int* __restrict__ heights, int* __restrict__ out) {
  int sum = 0, squares = 0;
#pragma unroll 16
  for (int k = 0; k < kLast; ++k) {
    const int height = heights[k * kBuoys + work_item()];
    sum += height;
    squares += height * height;
  }
  const float mean = sum / static_cast<float>(kLast);
  out[work_item()] +=
      static_cast<int>(4 * sqrtf(squares / static_cast<float>(kLast) - mean * mean));
}

double a(int variant) {
  int *heights = filled<int>(kLast * kBuoys, 0), *out = filled<int>(kBuoys, 0), *known = nullptr;
  HIP_CHECK(hipHostMalloc(&known, sizeof(int) * (kLast + kSeconds) * kBuoys));
  for (int i = 0; i < (kLast + kSeconds) * kBuoys; ++i) known[i] = noise(i);
  const auto send = [&](int to, int from, int seconds) {
    const size_t bytes = sizeof(int) * seconds * kBuoys;
    HIP_CHECK(
        hipMemcpyAsync(heights + to * kBuoys, known + from * kBuoys, bytes, hipMemcpyHostToDevice));
  };
  send(0, 0, kLast);
  HIP_CHECK(hipDeviceSynchronize());
  for (int second = 0; second < kSeconds; ++second) {
    if (variant) send(second % kLast, kLast + second, 1);
    else send(0, second + 1, kLast);
    vary<<<kBuoys / 64, 64>>>(heights, out);
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(out, kBuoys);
}

// b: which of 16 languages 4864 names are of; letters are rows of ones and zeros to the first layer
// of a network, as its framework has it. Names come in four lots.
constexpr int kNames = 4864, kLetters = 16, kKinds = 32, kInner = 64, kLanguages = 16, kLots = 4;
constexpr int kOfLot = kNames / kLots * kLetters;

__global__ __launch_bounds__(256) void to_rows(const unsigned char* __restrict__ letters,
                                               float* __restrict__ rows) {
  rows[work_item()] = letters[work_item() / kKinds] == work_item() % kKinds;
}

__global__ __launch_bounds__(kInner) void first_layer(const float* __restrict__ rows,
                                                      const float* __restrict__ weights,
                                                      float* __restrict__ out) {
  const float* own = rows + blockIdx.x * kLetters * kKinds;
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < kLetters * kKinds; ++k) sum += own[k] * weights[k * kInner + threadIdx.x];
  out[work_item()] = fmaxf(sum - 96, 0);
}

__global__ __launch_bounds__(kInner) void last_layer(const float* __restrict__ inner,
                                                     const float* __restrict__ weights,
                                                     float* __restrict__ out) {
  const int name = work_item() / kLanguages, language = work_item() % kLanguages;
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < kInner; ++k)
    sum += inner[name * kInner + k] * weights[k * kLanguages + language];
  out[work_item()] = sum;
}

double b(int variant) {
  float* first = mixed<float>(kLetters * kKinds * kInner, 16);
  float* last = mixed<float>(kInner * kLanguages, 8);
  float *rows = filled<float>(kOfLot * kKinds, 0), *inner = filled<float>(kNames * kInner, 0);
  float *out = filled<float>(kNames * kLanguages, 0), *shown = nullptr;
  auto* letters = filled<unsigned char>(kOfLot, 0);
  unsigned char* text = nullptr;
  HIP_CHECK(hipHostMalloc(&text, kNames * kLetters));
  HIP_CHECK(hipHostMalloc(&shown, sizeof(float) * kNames * kLetters * kKinds));
  for (int i = 0; i < kNames * kLetters; ++i) {
    text[i] = noise(i) % 27;
    for (int k = 0; k < kKinds; ++k) shown[i * kKinds + k] = text[i] == k;
  }
  HIP_CHECK(hipDeviceSynchronize());
  for (int lot = 0; lot < kLots; ++lot) {
    const int at = lot * kNames / kLots;
    if (variant) {
      HIP_CHECK(hipMemcpyAsync(letters, text + lot * kOfLot, kOfLot, hipMemcpyHostToDevice));
      to_rows<<<kOfLot * kKinds / 256, 256>>>(letters, rows);
    } else {
      HIP_CHECK(hipMemcpyAsync(rows, shown + lot * kOfLot * kKinds, sizeof(float) * kOfLot * kKinds,
                               hipMemcpyHostToDevice));
    }
    first_layer<<<kNames / kLots, kInner>>>(rows, first, inner + at * kInner);
    last_layer<<<kNames / kLots * kLanguages / kInner, kInner>>>(inner + at * kInner, last,
                                                                 out + at * kLanguages);
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(out, kNames * kLanguages);
}

// c: how many people of each year of age, of both sexes and eight provinces, a survey stands for: of
// 311296 who were asked each stands for some others.
constexpr int kAsked = 304 * 1024, kAges = 96, kProvinces = 8, kClasses = 2 * kAges * kProvinces;
constexpr int kOfGroup = 2048;

__global__ void prepare_asked(unsigned* asked) {
  const unsigned i = work_item(), chance = hashed(i), age = min(chance & 127, hashed(i + 5) & 127);
  const unsigned province = (i >> 9) % kProvinces, others = 20 + chance / 128 % 100;
  asked[i] = min(age, 95u) | (chance >> 20 & 1) << 7 | province << 8 | others << 16;
}

__device__ int class_of(unsigned asked) {
  return ((asked >> 8 & 7) * 2 + (asked >> 7 & 1)) * kAges + (asked & 127);
}

template <int kVariant>
__global__ __launch_bounds__(256) void stand_for(const unsigned* __restrict__ asked,
                                                 int* __restrict__ people) {
  __shared__ int own[kVariant ? kClasses : 1];
  if (kVariant) {
    for (int i = threadIdx.x; i < kClasses; i += 256) own[kVariant ? i : 0] = 0;
    __syncthreads();
  }
#pragma unroll 4
  for (int k = threadIdx.x; k < kOfGroup; k += 256) {
    const unsigned one = asked[blockIdx.x * kOfGroup + k];
    atomicAdd((kVariant ? own : people) + class_of(one), one >> 16);
  }
  if (kVariant) {
    __syncthreads();
    for (int i = threadIdx.x; i < kClasses; i += 256)
      if (own[kVariant ? i : 0]) atomicAdd(people + i, own[kVariant ? i : 0]);
  }
}

__global__ __launch_bounds__(kAges) void shares(const int* __restrict__ people,
                                                float* __restrict__ out) {
  const int province = blockIdx.x / 2;
  float all = 0;
  for (int k = 0; k < 2 * kAges; ++k) all += people[province * 2 * kAges + k];
  out[work_item()] = 1000 * people[work_item()] / all;
}

double c(int variant) {
  auto* asked = filled<unsigned>(kAsked, 0);
  prepare_asked<<<kAsked / 256, 256>>>(asked);
  int* people = filled<int>(kClasses, 0);
  float* out = filled<float>(kClasses, 0);
  VARIANT(variant, stand_for, <<<kAsked / kOfGroup, 256>>>(asked, people));
  shares<<<kClasses / kAges, kAges>>>(people, out);
  return total(people, kClasses) + total(out, kClasses);
}

// d: 3648 tiles of 64 x 64 pixels made ready to be packed: waves of two lengths, along rows and
// then along columns; a work-item has a row, then a column.
constexpr int kTiles = 3648, kSide = 64, kLengths = 2;

// Every second value becomes what its neighbours do not tell, and the others become smoother.
template <typename At>
__device__ void lift(short* tile, int count, At at) {
  int even = tile[at(0)], before = 0;
#pragma unroll 4
  for (int k = 0; k < count; k += 2) {
    const int odd = tile[at(k + 1)], next = k + 2 < count ? tile[at(k + 2)] : even;
    const int detail = odd - (even + next) / 2;
    tile[at(k)] = even + ((k ? before : detail) + detail + 2) / 4;
    tile[at(k + 1)] = detail;
    before = detail;
    even = next;
  }
}

template <int kRow>
__global__ __launch_bounds__(kSide) void lift_tiles(const unsigned char* __restrict__ in,
                                                    short* __restrict__ out) {
  __shared__ short tile[kSide * kRow];
  const int t = threadIdx.x;
#pragma unroll 16
  for (int y = 0; y < kSide; ++y)
    tile[y * kRow + t] = in[(blockIdx.x % 152 * kSide + y) * kSide + t] - 128;
#pragma unroll 1
  for (int length = 0; length < kLengths; ++length) {
    const int count = kSide >> length;
    __syncthreads();
    if (t < count) lift(tile, count, [=](int k) { return (t * kRow + k) << length; });
    __syncthreads();
    if (t < count) lift(tile, count, [=](int k) { return (k * kRow + t) << length; });
  }
  __syncthreads();
#pragma unroll 16
  for (int y = 0; y < kSide; ++y) out[(blockIdx.x * kSide + y) * kSide + t] = tile[y * kRow + t];
}

double d(int variant) {
  constexpr int kPixels = kTiles * kSide * kSide;
  auto* in = mixed<unsigned char>(152 * kSide * kSide, 251);
  auto* out = filled<short>(kPixels, 0);
  if (variant) lift_tiles<kSide + 2><<<kTiles, kSide>>>(in, out);
  else lift_tiles<kSide><<<kTiles, kSide>>>(in, out);
  return total(out, kPixels);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
