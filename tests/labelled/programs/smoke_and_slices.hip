#include "data.h"

// a: marks of 155648 pieces of sound of 32 samples: which patterns of high and low each has in it,
// by five rounds of sums and differences.
constexpr int kPieces = 304 * 512, kSamples = 32;

__device__ inline void sums_and_differences(int* samples, int step) {
#pragma unroll
  for (int k = 0; k < kSamples / 2; ++k) {
    const int at = k / step * 2 * step + k % step;
    const int one = samples[at], two = samples[at + step];
    samples[at] = one + two;
    samples[at + step] = one - two;
  }
}

__attribute__((noinline)) __device__ void round_of(int* samples, int step) {
  for (int k = 0; k < kSamples / 2; ++k) {
    const int at = (k & -step) * 2 + (k & (step - 1));
    const int one = samples[at], two = samples[at + step];
    samples[at] = one + two;
    samples[at + step] = one - two;
  }
}

template <int kVariant>
__global__ __launch_bounds__(128) void mark(const int* __restrict__ sound, int* __restrict__ out) {
  int samples[kSamples], strong = 0;
#pragma unroll
  for (int k = 0; k < kSamples; ++k) samples[k] = sound[k * kPieces + work_item()];
  if (kVariant) {
#pragma unroll
    for (int step = 1; step < kSamples; step *= 2) sums_and_differences(samples, step);
  } else {
    for (int step = 1; step < kSamples; step *= 2) round_of(samples, step);
  }
#pragma unroll
  for (int k = 0; k < kSamples; ++k) strong |= abs(samples[k]) > 4096 ? 1 << k : 0;
  out[work_item()] = strong >> 1 & 0xffff;
}

double a(int variant) {
  int *sound = mixed<int>(kSamples * kPieces, 4093), *out = filled<int>(kPieces, 0);
  VARIANT(variant, mark, <<<kPieces / 128, 128>>>(sound, out));
  return total(out, kPieces);
}

// b: 155648 rays through 64 slices of a body, each of which takes light from them until hardly any
// is left; what a slice shows is seen by the light that comes to it.
constexpr int kRays = 304 * 512, kSlices = 64, kAhead = 8, kDark = 48;

__global__ void prepare_body(unsigned short* body) {
  const int i = work_item(), slice = i / kRays;
  body[i] = hashed(i) % 2048 + slice * 64;
}

__device__ void pass(int density, int& light, int& seen) {
  seen += light * density >> 16;
  light -= light * density >> 16;
}

__global__ __launch_bounds__(256) void shine(const unsigned short* __restrict__ body,
                                             int* __restrict__ out) {
  int light = 32767, seen = 0;
  for (int k = 0; k < kSlices; ++k) {
    pass(body[k * kRays + work_item()], light, seen);
    if (light < kDark) break;
  }
  out[work_item()] = seen;
}

__global__ __launch_bounds__(256) void shine_ahead(const unsigned short* __restrict__ body,
                                                   int* __restrict__ out) {
  int light = 32767, seen = 0;
  for (int k = 0; k < kSlices && light >= kDark; k += kAhead) {
    int next[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) next[i] = body[(k + i) * kRays + work_item()];
#pragma unroll
    for (int i = 0; i < kAhead; ++i)
      if (light >= kDark) pass(next[i], light, seen);
  }
  out[work_item()] = seen;
}

double b(int variant) {
  auto* body = filled<unsigned short>(kSlices * kRays, 0);
  prepare_body<<<kSlices * kRays / 256, 256>>>(body);
  int* out = filled<int>(kRays, 0);
  if (variant) shine_ahead<<<kRays / 256, 256>>>(body, out);
  else shine<<<kRays / 256, 256>>>(body, out);
  return total(out, kRays);
}

// c: smoke over a field of 1216 x 512 places, of which a picture of 152 x 64 is shown after each of
// six steps.
constexpr int kFieldX = 1216, kFieldY = 512, kField = kFieldX * kFieldY, kSteps = 6, kShrink = 8;
constexpr int kShownX = kFieldX / kShrink, kShown = kField / kShrink / kShrink;

__global__ __launch_bounds__(304) void blow(const float* __restrict__ in, float* __restrict__ out) {
  const int x = blockIdx.x * 304 + threadIdx.x, y = blockIdx.y, i = y * kFieldX + x;
  const int above = y ? i - kFieldX : i, west = x ? i - 1 : i;
  out[i] = 0.5f * in[west] + 0.25f * in[above] + 0.25f * in[i];
}

__host__ __device__ float shrunk(const float* field, int i) {
  const float* first = field + (i / kShownX * kFieldX + i % kShownX) * kShrink;
  float sum = 0;
  for (int y = 0; y < kShrink; ++y)
    for (int x = 0; x < kShrink; ++x) sum += first[y * kFieldX + x];
  return sum;
}

__global__ __launch_bounds__(64) void shrink(const float* __restrict__ field,
                                             float* __restrict__ out) {
  out[work_item()] = shrunk(field, work_item());
}

double c(int variant) {
  float *now = mixed<float>(kField, 256), *then = filled<float>(kField, 0), *host = nullptr;
  float* small = filled<float>(kShown, 0);
  double shown = 0;
  HIP_CHECK(hipHostMalloc(&host, sizeof(float) * kField));
  HIP_CHECK(hipDeviceSynchronize());
  for (int step = 0; step < kSteps; ++step) {
    blow<<<dim3(kFieldX / 304, kFieldY), 304>>>(now, then);
    std::swap(now, then);
    if (variant) shrink<<<kShown / 64, 64>>>(now, small);
    const size_t bytes = sizeof(float) * (variant ? kShown : kField);
    HIP_CHECK(hipMemcpy(host, variant ? small : now, bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < kShown; ++i) shown += variant ? host[i] : shrunk(host, i);
  }
  return shown;
}

// d: warmth in 608 cubes of 16 x 16 x 16 cells that goes along x, along y and along z, four times.
constexpr int kCubes = 608, kSide = 16, kCells = kSide * kSide * kSide, kTimes = 4;

// Rows of cells in LDS, each with its own order in the second kind of program.
template <int kVariant>
__device__ int cell(int row, int x) {
  return row * kSide + (kVariant ? x ^ (row / 2 & 15) : x);
}

template <typename At>
__device__ void sweep(float* cube, At at) {
  float before = 0;
#pragma unroll
  for (int k = 0; k < kSide; ++k) {
    before = 0.5f * before + 0.5f * cube[at(k)];
    cube[at(k)] = before;
  }
}

template <int kVariant>
__global__ __launch_bounds__(256) void warm(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float cube[kCells];
  const int one = threadIdx.x % kSide, two = threadIdx.x / kSide, first = blockIdx.x * kCells;
#pragma unroll
  for (int z = 0; z < kSide; ++z)
    cube[cell<kVariant>(z * kSide + two, one)] = in[first + z * 256 + threadIdx.x];
#pragma unroll 1
  for (int time = 0; time < kTimes; ++time) {
    __syncthreads();
    sweep(cube, [=](int x) { return cell<kVariant>(threadIdx.x, x); });
    __syncthreads();
    sweep(cube, [=](int y) { return cell<kVariant>(two * kSide + y, one); });
    __syncthreads();
    sweep(cube, [=](int z) { return cell<kVariant>(z * kSide + two, one); });
  }
#pragma unroll
  for (int z = 0; z < kSide; ++z)
    out[first + z * 256 + threadIdx.x] = cube[cell<kVariant>(z * kSide + two, one)];
}

double d(int variant) {
  float *in = mixed<float>(kCubes * kCells, 256), *out = filled<float>(kCubes * kCells, 0);
  VARIANT(variant, warm, <<<kCubes, 256>>>(in, out));
  return total(out, kCubes * kCells);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
