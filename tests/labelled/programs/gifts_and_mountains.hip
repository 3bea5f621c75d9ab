#include "data.h"

// a: 16 people draw whom they give a present to; how often someone draws himself, in 12 tries each.
constexpr int kDraws = 304 * 512, kPeople = 16, kTries = 12;

template <int kVariant>
__device__ int slot(int person) {
  return kVariant ? person * 256 + threadIdx.x : threadIdx.x * kPeople + person;
}

template <int kVariant>
__global__ __launch_bounds__(256) void draw(int* __restrict__ out) {
  __shared__ int hats[256 * kPeople];
  unsigned chance = hashed(work_item() + 17);
  int selves = 0;
#pragma unroll
  for (int k = 0; k < kPeople; ++k) hats[slot<kVariant>(k)] = k;
#pragma unroll 1
  for (int time = 0; time < kTries; ++time) {
#pragma unroll
    for (int left = kPeople; left > 0; --left) {
      chance = chance * 1664525u + 1013904223u;
      const int taken = slot<kVariant>((chance >> 16) * left >> 16),
                last = slot<kVariant>(left - 1);
      const int drawn = hats[taken];
      hats[taken] = hats[last];
      hats[last] = drawn;
      selves += drawn == left - 1;
    }
  }
  out[work_item()] = selves;
}

double a(int variant) {
  int* out = filled<int>(kDraws, 0);
  VARIANT(variant, draw, <<<kDraws / 256, 256>>>(out));
  return total(out, kDraws);
}

// b: an actor in front of another picture: where the mask has its bits set the one, else the other.
constexpr int kFrame = 1 << 24;

__device__ unsigned chosen_of(unsigned front, unsigned back, unsigned mask) {
  return (front & mask) | (back & ~mask);
}

__global__ void put_one(const unsigned char* __restrict__ front,
                        const unsigned char* __restrict__ back,
                        const unsigned char* __restrict__ mask, unsigned char* __restrict__ out) {
  const int i = work_item();
  out[i] = chosen_of(front[i], back[i], mask[i]);
}

__global__ void put_many(const uint4* __restrict__ front, const uint4* __restrict__ back,
                         const uint4* __restrict__ mask, uint4* __restrict__ out) {
  const int i = work_item();
  const uint4 p = front[i], q = back[i], m = mask[i];
  out[i] = {chosen_of(p.x, q.x, m.x), chosen_of(p.y, q.y, m.y), chosen_of(p.z, q.z, m.z),
            chosen_of(p.w, q.w, m.w)};
}

double b(int variant) {
  auto* front = mixed<unsigned>(kFrame / 4, 4294967291u);
  auto* back = mixed<unsigned>(kFrame / 4, 4294967279u);
  auto* mask = mixed<unsigned>(kFrame / 4, 4294967231u);
  auto* out = filled<unsigned char>(kFrame, 0);
  if (variant)
    put_many<<<kFrame / 16 / 256, 256>>>(
        reinterpret_cast<uint4*>(front), reinterpret_cast<uint4*>(back),
        reinterpret_cast<uint4*>(mask), reinterpret_cast<uint4*>(out));
  else
    put_one<<<kFrame / 256, 256>>>(reinterpret_cast<unsigned char*>(front),
                                   reinterpret_cast<unsigned char*>(back),
                                   reinterpret_cast<unsigned char*>(mask), out);
  return total(out, kFrame);
}

// c: light and shadow on mountains, from heights at 4096 x 1024 places.
constexpr int kEast = 4096, kNorth = 1024;

template <int kVariant>
__global__ __launch_bounds__(256) void shade(const float* __restrict__ heights,
                                             float* __restrict__ out) {
  const int x = blockIdx.x * 16 + (kVariant ? threadIdx.x : threadIdx.y) + 1;
  const int y = blockIdx.y * 16 + (kVariant ? threadIdx.y : threadIdx.x) + 1;
  constexpr int kPitch = kEast + 2;
  const float* at = heights + y * kPitch + x;
  const float east =
      at[1 - kPitch] + 2 * at[1] + at[1 + kPitch] - at[-1 - kPitch] - 2 * at[-1] - at[-1 + kPitch];
  const float north = at[kPitch - 1] + 2 * at[kPitch] + at[kPitch + 1] - at[-kPitch - 1] -
                      2 * at[-kPitch] - at[-kPitch + 1];
  const float lit = 96 + 0.5f * east + 0.25f * north;
  out[(y - 1) * kEast + x - 1] = fmaxf(lit, 0) * rsqrtf(64 + east * east + north * north);
}

double c(int variant) {
  float* heights = mixed<float>(((kEast + 2) * (kNorth + 2) + 255) / 256 * 256, 64);
  float* out = filled<float>(kEast * kNorth, 0);
  VARIANT(variant, shade, <<<dim3(kEast / 16, kNorth / 16), dim3(16, 16)>>>(heights, out));
  return total(out, kEast * kNorth);
}

// d: a picture of 9728 squares; where it was noisy more light is followed, up to 40 times as much.
constexpr int kSquares = 9728, kInRow = 4;

__global__ void prepare_noise(int* noise) {
  const int i = work_item(), x = i % 64 - 40, y = i / 64 - 20;
  noise[i] = x * x + y * y < 64 ? 160 : 4 + hashed(i) % 4;
}

__device__ float follow(int square, int samples) {
  unsigned chance = hashed(square * 256 + threadIdx.x);
  float sum = 0;
#pragma unroll 1
  for (int sample = 0; sample < samples; ++sample) {
    float height = 1, slope = (chance >> 24) * 0.00390625f;
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      height += slope;
      slope = slope * 0.75f - height * 0.0625f;
    }
    sum += fabsf(height);
    chance = chance * 1664525u + 1013904223u;
  }
  return sum / samples;
}

template <int kEach>
__global__ __launch_bounds__(256) void render(const int* __restrict__ noise,
                                              float* __restrict__ out) {
#pragma unroll 1
  for (int k = 0; k < kEach; ++k) {
    const int square = blockIdx.x * kEach + k;
    out[square * 256 + threadIdx.x] = follow(square, noise[square]);
  }
}

double d(int variant) {
  int* noise = filled<int>(kSquares, 0);
  prepare_noise<<<kSquares / 256, 256>>>(noise);
  float* out = filled<float>(kSquares * 256, 0);
  if (variant) render<1><<<kSquares, 256>>>(noise, out);
  else render<kInRow><<<kSquares / kInRow, 256>>>(noise, out);
  return total(out, kSquares * 256);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
