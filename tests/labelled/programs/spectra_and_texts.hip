#include "data.h"

// a: light along paths of 2 steps, in 128 colours. Mended: one kernel walks and notes what it met,
// another one has the colours, so that few values live while a path waits for memory.
constexpr int kColours = 128, kSteps = 2, kPaths = 1 << 18, kNodes = 1 << 14;

__global__ void prepare_links(int* links) {
  links[work_item()] = hashed(work_item() / 64 + 17) % kNodes;
}

__device__ float walk(const int* links, int& node) {
  for (int hop = 0; hop < 96; ++hop) node = links[node * 64 + threadIdx.x % 64];
  return (node & 255) / 1024.0f;
}

__device__ void absorb(float (&light)[kColours], float amount) {
#pragma unroll
  for (int k = 0; k < kColours; ++k) light[k] -= light[k] * amount * ((k + 1) / 256.0f);
}

__device__ float seen(const float (&light)[kColours]) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kColours; ++k) sum += light[k] * (1 + k % 7);
  return sum;
}

__global__ __launch_bounds__(256) void trace_whole(const int* links, float* out) {
  int node = (work_item() / 64) % kNodes;
  float light[kColours];
#pragma unroll
  for (int k = 0; k < kColours; ++k) light[k] = 1;
  for (int step = 0; step < kSteps; ++step) absorb(light, walk(links, node));
  out[work_item()] = seen(light);
}

__global__ __launch_bounds__(256) void trace_path(const int* links, float* met) {
  int node = (work_item() / 64) % kNodes;
  for (int step = 0; step < kSteps; ++step) met[step * kPaths + work_item()] = walk(links, node);
}

__global__ __launch_bounds__(256) void trace_light(const float* met, float* out) {
  float light[kColours];
#pragma unroll
  for (int k = 0; k < kColours; ++k) light[k] = 1;
  for (int step = 0; step < kSteps; ++step) absorb(light, met[step * kPaths + work_item()]);
  out[work_item()] = seen(light);
}

double a(int variant) {
  int* links = filled<int>(kNodes * 64, 0);
  prepare_links<<<kNodes * 64 / 256, 256>>>(links);
  float* met = filled<float>(kPaths * kSteps, 0);
  float* out = filled<float>(kPaths, 0);
  if (variant) {
    trace_path<<<kPaths / 256, 256>>>(links, met);
    trace_light<<<kPaths / 256, 256>>>(met, out);
  } else {
    trace_whole<<<kPaths / 256, 256>>>(links, out);
  }
  return total(out, kPaths);
}

// b: the longest common part of two texts, one diagonal after the other. Mended: a wave has a pair
// of its own and four rows per work-item, instead of a workgroup that waits after each diagonal.
constexpr int kText = 256, kPairs = 912;

__global__ __launch_bounds__(kText) void match_group(const int* texts, int* lengths) {
  __shared__ int edges[3][kText + 1], across[kText];
  const int t = threadIdx.x;
  const int letter = texts[blockIdx.x * 2 * kText + t];
  across[t] = texts[blockIdx.x * 2 * kText + kText + t];
  for (int k = t; k < 3 * (kText + 1); k += kText) edges[0][k] = 0;
  int own = 0;
  for (int diagonal = 0; diagonal < 2 * kText - 1; ++diagonal) {
    __syncthreads();
    const int column = diagonal - t;
    if (column < 0 || column >= kText) continue;
    const int above = edges[(diagonal + 2) % 3][t],
              corner = column ? edges[(diagonal + 1) % 3][t] : 0;
    own = letter == across[column] ? corner + 1 : max(above, own);
    edges[diagonal % 3][t + 1] = own;
  }
  if (t == kText - 1) lengths[blockIdx.x] = own;
}

__global__ __launch_bounds__(64) void match_wave(const int* texts, int* lengths) {
  __shared__ int across[kText];
  const int t = threadIdx.x;
  int letters[4], own[4] = {}, corner = 0;
  for (int k = 0; k < 4; ++k) {
    letters[k] = texts[blockIdx.x * 2 * kText + 4 * t + k];
    across[k * 64 + t] = texts[blockIdx.x * 2 * kText + kText + k * 64 + t];
  }
  __syncthreads();
  for (int step = 0; step < kText + 63; ++step) {
    const int lower = __shfl_up(own[3], 1);
    const int column = step - t;
    if (column < 0 || column >= kText) continue;
    const int letter = across[column];
    int above = t ? lower : 0, before = column ? corner : 0;
    corner = above;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int left = own[k];
      own[k] = letters[k] == letter ? before + 1 : max(above, left);
      before = left;
      above = own[k];
    }
  }
  if (t == 63) lengths[blockIdx.x] = own[3];
}

double b(int variant) {
  int* texts = mixed<int>(kPairs * 2 * kText, 4);
  int* lengths = filled<int>(kPairs, 0);
  if (variant) match_wave<<<kPairs, 64>>>(texts, lengths);
  else match_group<<<kPairs, kText>>>(texts, lengths);
  return total(lengths, kPairs);
}

// c: a field is watched at 16 places while it evolves. Mended: these are brought to the host, not
// the whole field.
__global__ void evolve(const int* now, int* next, int count) {
  const int i = work_item();
  next[i] = (now[i] * 3 + now[(i + 1) % count] + now[(i + 1024) % count]) >> 2;
}

double c(int variant) {
  constexpr int kField = 1 << 19, kSeen = 16, kTimes = 10;
  int* now = mixed<int>(kField, 1 << 16);
  int* next = filled<int>(kField, 0);
  const int wanted = variant ? kSeen : kField;
  int* host = nullptr;
  HIP_CHECK(hipHostMalloc(&host, sizeof(int) * wanted));
  double watched = 0;
  for (int time = 0; time < kTimes; ++time) {
    evolve<<<kField / 256, 256>>>(now, next, kField);
    std::swap(now, next);
    HIP_CHECK(hipMemcpy(host, now, sizeof(int) * wanted, hipMemcpyDeviceToHost));
    watched = std::accumulate(host, host + kSeen, watched);
  }
  return watched + total(now, kField);
}

// d: the way from each pixel to 256 wells. Mended: float holds these numbers exactly.
constexpr int kWells = 256, kMap = 512;

template <typename Real>
__global__ void ways(const Real* wells, int* out) {
  const Real x = work_item() % kMap, y = work_item() / kMap;
  int sum = 0;
  for (int k = 0; k < kWells; ++k) {
    const Real dx = wells[2 * k] - x, dy = wells[2 * k + 1] - y;
    sum += static_cast<int>(sqrt(dx * dx + dy * dy));
  }
  out[work_item()] = sum;
}

double d(int variant) {
  int* out = filled<int>(kMap * kMap, 0);
  if (variant) ways<<<kMap * kMap / 256, 256>>>(mixed<float>(2 * kWells, kMap), out);
  else ways<<<kMap * kMap / 256, 256>>>(mixed<double>(2 * kWells, kMap), out);
  return total(out, kMap * kMap);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
