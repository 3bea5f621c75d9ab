#include "data.h"

// a: 32 channels made of 32 others, pixel by pixel. Mended: a work-item makes eight channels of the
// values that it read, not one.
constexpr int kChannels = 32, kPixels = 1 << 17;

template <int kOwn>
__global__ void mix_channels(const float* in, const float* weights, float* out) {
  const int first = blockIdx.y * kOwn;
  float sums[kOwn] = {};
  for (int from = 0; from < kChannels; ++from) {
    const float value = in[from * kPixels + work_item()];
#pragma unroll
    for (int k = 0; k < kOwn; ++k) sums[k] += weights[(first + k) * kChannels + from] * value;
  }
#pragma unroll
  for (int k = 0; k < kOwn; ++k) out[(first + k) * kPixels + work_item()] = sums[k];
}

double a(int variant) {
  float* in = mixed<float>(kChannels * kPixels, 16);
  float* weights = mixed<float>(kChannels * kChannels, 8);
  float* out = filled<float>(kChannels * kPixels, 0);
  const dim3 grid(kPixels / 256, kChannels / (variant ? 8 : 1));
  for (int layer = 0; layer < 2; ++layer) {
    if (variant) mix_channels<8><<<grid, 256>>>(in, weights, out);
    else mix_channels<1><<<grid, 256>>>(in, weights, out);
  }
  return total(out, kChannels * kPixels);
}

// b: rays appended to the list of the material that they hit. Mended: a workgroup asks for the room
// of all its rays at once.
constexpr int kMaterials = 4, kRays = 1 << 17;

template <int kVariant>
__global__ void append(const int* materials, int* ends, int* lists) {
  const int ray = work_item(), material = materials[ray];
  if constexpr (kVariant == 0) {
    lists[material * kRays + atomicAdd(&ends[material], 1)] = ray;
  } else {
    __shared__ int wanted[kMaterials], begins[kMaterials];
    if (threadIdx.x < kMaterials) wanted[threadIdx.x] = 0;
    __syncthreads();
    const int place = atomicAdd(&wanted[material], 1);
    __syncthreads();
    if (threadIdx.x < kMaterials)
      begins[threadIdx.x] = atomicAdd(&ends[threadIdx.x], wanted[threadIdx.x]);
    __syncthreads();
    lists[material * kRays + begins[material] + place] = ray;
  }
}

double b(int variant) {
  int* materials = mixed<int>(kRays, kMaterials);
  int* ends = filled<int>(kMaterials, 0);
  int* lists = filled<int>(kRays * kMaterials, 0);
  VARIANT(variant, append, <<<kRays / 256, 256>>>(materials, ends, lists));
  return total(lists, kRays * kMaterials);
}

// c: stiffness of finite elements with six nodes. Mended: seven elements per workgroup instead of
// one with 36 work-items.
constexpr int kNodes = 6, kCells = kNodes * kNodes, kElements = 1 << 14, kGauss = 12;

__constant__ float kSlopes[kGauss][kNodes][2];

__global__ void stiffness(const float* places, float* out) {
  const int element = blockIdx.x * (blockDim.x / kCells) + threadIdx.x / kCells;
  const int i = threadIdx.x % kCells / kNodes, j = threadIdx.x % kNodes;
  if (element >= kElements) return;
  float x[kNodes], y[kNodes], sum = 0;
  for (int node = 0; node < kNodes; ++node) {
    x[node] = places[(element * kNodes + node) * 2];
    y[node] = places[(element * kNodes + node) * 2 + 1];
  }
  for (int point = 0; point < kGauss; ++point) {
    float xr = 1, xs = 0, yr = 0, ys = 1;
    for (int node = 0; node < kNodes; ++node) {
      xr += x[node] * kSlopes[point][node][0];
      xs += x[node] * kSlopes[point][node][1];
      yr += y[node] * kSlopes[point][node][0];
      ys += y[node] * kSlopes[point][node][1];
    }
    const float area = xr * ys - xs * yr;
    const float *first = kSlopes[point][i], *second = kSlopes[point][j];
    const float ix = ys * first[0] - yr * first[1], iy = xr * first[1] - xs * first[0];
    const float jx = ys * second[0] - yr * second[1], jy = xr * second[1] - xs * second[0];
    sum += (ix * jx + iy * jy) / area;
  }
  out[element * kCells + threadIdx.x % kCells] = sum;
}

double c(int variant) {
  float slopes[kGauss][kNodes][2];
  for (int k = 0; k < kGauss * kNodes * 2; ++k) slopes[0][0][k] = (k * 7 % 11 - 5) / 1024.0f;
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(kSlopes), slopes, sizeof(slopes)));
  float* places = mixed<float>(kElements * kNodes * 2, 9);
  float* out = filled<float>(kElements * kCells, 0);
  const int packed = variant ? 7 : 1;
  for (int step = 0; step < 2; ++step)
    stiffness<<<(kElements + packed - 1) / packed, packed * kCells>>>(places, out);
  return total(out, kElements * kCells);
}

// d: five levels of a pyramid, none needs another. Mended: each on a stream of its own.
__global__ void level(int* pixels, int rounds) {
  int value = pixels[work_item()];
  for (int k = 0; k < rounds; ++k) value = (value * 5 + (value >> 3)) & 0xffff;
  pixels[work_item()] = value;
}

double d(int variant) {
  constexpr int kLevels = 5, kLargest = 1 << 14;
  int* pixels = mixed<int>(kLevels * kLargest, 1 << 16);
  std::vector<hipStream_t> streams(variant ? kLevels : 1);
  for (auto& stream : streams) HIP_CHECK(hipStreamCreate(&stream));
  HIP_CHECK(hipDeviceSynchronize());
  for (int k = 0; k < kLevels; ++k)
    level<<<(kLargest >> k) / 256, 256, 0, streams[k % streams.size()]>>>(pixels + k * kLargest,
                                                                          2000 + 800 * k);
  HIP_CHECK(hipDeviceSynchronize());
  return total(pixels, kLevels * kLargest);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
