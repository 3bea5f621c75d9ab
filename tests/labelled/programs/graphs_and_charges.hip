#include "data.h"

// a: the cheapest edge of each node of a graph, whose nodes with the most edges come first.
constexpr int kGroups = 1216, kEach = 16, kNodes = kGroups * kEach;

template <int kVariant>
__global__ __launch_bounds__(256) void cheapest(const int* starts, const int4* edges, int* best) {
  const int lane = threadIdx.x % 64;
  for (int k = threadIdx.x / 64; k < kEach; k += 4) {
    const int node = kVariant ? k * kGroups + blockIdx.x : blockIdx.x * kEach + k;
    int least = 1 << 30;
    const int end = starts[node + 1];
#pragma unroll 4
    for (int e = starts[node] + lane; e < end; e += 64) {
      const int4 four = edges[e];
      least = min(least, min(min(four.x, four.y), min(four.z, four.w)));
    }
    for (int step = 32; step > 0; step /= 2) least = min(least, __shfl_xor(least, step));
    if (lane == 0) best[node] = least >> 4;
  }
}

double a(int variant) {
  std::vector<int> starts(kNodes + 1);
  for (int node = 0; node < kNodes; ++node)
    starts[node + 1] = starts[node] + 64 * (1 + 6000 / (node + 100));  // each is of four edges
  int* device = filled<int>(kNodes + 1, 0);
  HIP_CHECK(hipMemcpy(device, starts.data(), sizeof(int) * (kNodes + 1), hipMemcpyHostToDevice));
  int* costs = mixed<int>(static_cast<size_t>(starts[kNodes]) * 4, 1 << 30);
  int* best = filled<int>(kNodes, 0);
  auto* edges = reinterpret_cast<int4*>(costs);
  VARIANT(variant, cheapest, <<<kGroups, 256>>>(device, edges, best));
  return total(best, kNodes);
}

// b: boxes of 1024 cells in a ring; charges of a cell go to its neighbours, too. Cells that would
// meet have four colours, and one colour is done after the other.
constexpr int kBox = 1024, kCells = 304 * 4 * kBox, kSlots = 4;

__device__ void give(const float* charges, float* field, int cell) {
  float left = 0, own = 0, right = 0;
#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot) {
    const float p = charges[slot * kCells + cell] * 0.015625f, q = 1 - p;
    const float near = p * p * (3 - 2 * p), far = q * q * (3 - 2 * q);
    const float shape = 1 + p * (0.5f + p * (0.25f + p * (0.125f + p * (0.0625f + p))));
    const float other = 1 + q * (0.5f + q * (0.25f + q * (0.125f + q * (0.0625f + q))));
    left += far * shape * (1 + far * (0.5f + far * (0.25f + far)));
    right += near * other * (1 + near * (0.5f + near * (0.25f + near)));
    own += shape * other * (2 - near * far);
  }
  field[(cell + kBox - 1) % kBox] += left;
  field[cell % kBox] += own;
  field[(cell + 1) % kBox] += right;
}

template <int kVariant>
__global__ __launch_bounds__(256) void deposit(const float* charges, float* out) {
  __shared__ float field[kBox];
  const int t = threadIdx.x, first = blockIdx.x * kBox;
  for (int cell = t; cell < kBox; cell += 256) field[cell] = 0;
#pragma unroll 1
  for (int colour = 0; colour < 4; ++colour) {
    __syncthreads();
    if (kVariant) {
      give(charges, field, first + t * 4 + colour);
      continue;
    }
#pragma unroll 1
    for (int cell = t; cell < kBox; cell += 256)
      if (cell % 4 == colour) give(charges, field, first + cell);
  }
  __syncthreads();
  for (int cell = t; cell < kBox; cell += 256) out[first + cell] = field[cell];
}

double b(int variant) {
  float* charges = mixed<float>(kCells * kSlots, 64);
  float* out = filled<float>(kCells, 0);
  VARIANT(variant, deposit, <<<kCells / kBox, 256>>>(charges, out));
  return total(out, kCells);
}

// c: a series of 192 terms at the 65 points of each line.
constexpr int kLines = 304 * 24, kOnLine = 65, kTerms = 192;

__global__ void evaluate(const float* points, const float* series, float* out) {
  const int i = work_item();
  if (i >= kLines * kOnLine) return;
  const float x = points[i] * 0.03125f - 1;
  float now = 0, before = 0;
#pragma unroll 8
  for (int k = kTerms - 1; k >= 0; --k) {
    const float next = series[k] + 2 * x * now - before;
    before = now;
    now = next;
  }
  out[i] = now - x * before;
}

double c(int variant) {
  constexpr int kAll = kLines * kOnLine;
  float* points = mixed<float>((kAll + 255) / 256 * 256, 64);
  float* series = mixed<float>(256, 16);
  float* out = filled<float>(kAll, 0);
  const int size = variant ? 256 : kOnLine;
  evaluate<<<(kAll + size - 1) / size, size>>>(points, series, out);
  return total(out, kAll);
}

// d: the mass of stars, sorted by the cell that they are in, in each cell.
constexpr int kStars = 1 << 20, kBoxes = 1 << 12;

__global__ void prepare_boxes(int* boxes) { boxes[work_item()] = work_item() * 5l / 1283; }

__global__ void weigh(const int* boxes, const int* stars, int* masses) {
  atomicAdd(masses + boxes[work_item()], stars[work_item()]);
}

__global__ void weigh_runs(const int* boxes, const int* stars, int* masses) {
  const int lane = threadIdx.x % 64, box = boxes[work_item()];
  int mass = stars[work_item()];
  for (int step = 1; step < 64; step *= 2) {
    const int before = __shfl_up(mass, step), its = __shfl_up(box, step);
    mass += lane >= step && its == box ? before : 0;
  }
  const int next = __shfl_down(box, 1);
  if (lane == 63 || next != box) atomicAdd(masses + box, mass);
}

double d(int variant) {
  int* boxes = filled<int>(kStars, 0);
  prepare_boxes<<<kStars / 256, 256>>>(boxes);
  int* stars = mixed<int>(kStars, 1024);
  int* masses = filled<int>(kBoxes, 0);
  if (variant) weigh_runs<<<kStars / 256, 256>>>(boxes, stars, masses);
  else weigh<<<kStars / 256, 256>>>(boxes, stars, masses);
  return total(masses, kBoxes);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
