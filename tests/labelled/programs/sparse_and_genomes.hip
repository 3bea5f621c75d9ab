#include "data.h"

// a: a sparse matrix times a vector, 64 numbers in a row. Mended: 16 work-items share a row.
constexpr int kRows = 1 << 15, kFilled = 64;

__global__ void prepare_matrix(int* starts, int* columns, float* values) {
  const int row = work_item();
  starts[row] = row * kFilled;
  if (row == kRows - 1) starts[kRows] = kRows * kFilled;
  for (int k = 0; k < kFilled; ++k) {
    columns[row * kFilled + k] = (row + hashed(k) % 512) % kRows;
    values[row * kFilled + k] = hashed(row + k) % 8;
  }
}

__global__ void multiply_alone(const int* starts, const int* columns, const float* values,
                               const float* x, float* y) {
  const int row = work_item();
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
  y[row] = sum;
}

__global__ void multiply_shared(const int* starts, const int* columns, const float* values,
                                const float* x, float* y) {
  const int row = work_item() / 16;
  float sum = 0;
  for (int k = starts[row] + threadIdx.x % 16; k < starts[row + 1]; k += 16)
    sum += values[k] * x[columns[k]];
  for (int step = 8; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  if (threadIdx.x % 16 == 0) y[row] = sum;
}

double a(int variant) {
  int* starts = filled<int>(kRows + 1, 0);
  int* columns = filled<int>(kRows * kFilled, 0);
  float* values = filled<float>(kRows * kFilled, 0);
  prepare_matrix<<<kRows / 256, 256>>>(starts, columns, values);
  float* x = mixed<float>(kRows, 16);
  float* y = filled<float>(kRows, 0);
  if (variant) multiply_shared<<<kRows / 16, 256>>>(starts, columns, values, x, y);
  else multiply_alone<<<kRows / 256, 256>>>(starts, columns, values, x, y);
  return total(y, kRows);
}

// b: scores of reads of a genome, which a file lists from the shortest to the longest. Mended: the
// longest is begun first.
constexpr int kReads = 1824;

__global__ void prepare_reads(int* lengths, int* order, int variant) {
  const int i = work_item();
  if (i >= kReads) return;
  const int rest = kReads - i;  // a few are very long
  lengths[i] = 40 + 8000 / (rest + 20);
  order[i] = variant ? kReads - 1 - i : i;
}

__global__ __launch_bounds__(1024) void score(const int* lengths, const int* order, int* scores) {
  const int read = order[blockIdx.x];
  unsigned state = read * 1024 + threadIdx.x;
  int best = 0, now = 0;
  for (int k = 0; k < lengths[read]; ++k) {
    state = hashed(state + k);
    now = max(0, now + static_cast<int>(state % 16) - 8);
    best = max(best, now);
  }
  scores[read * 1024 + threadIdx.x] = best;
}

double b(int variant) {
  int* lengths = filled<int>(kReads, 0);
  int* order = filled<int>(kReads, 0);
  prepare_reads<<<(kReads + 255) / 256, 256>>>(lengths, order, variant);
  int* scores = filled<int>(kReads * 1024, 0);
  score<<<kReads, 1024>>>(lengths, order, scores);
  return total(scores, kReads * 1024);
}

// c: ranks of the nodes of a graph. Mended: a node gathers from those before it instead of giving
// to those after it.
constexpr unsigned kNodes = 1 << 16, kLinks = 16;

__global__ void prepare_graph(int* after, int* before) {
  const unsigned node = work_item();
  for (unsigned k = 0; k < kLinks; ++k) {
    const unsigned factor = hashed(k) | 1, offset = hashed(k + 100);
    unsigned inverse = factor;
    for (int turn = 0; turn < 5; ++turn) inverse *= 2 - factor * inverse;
    after[k * kNodes + node] = (node * factor + offset) % kNodes;
    before[k * kNodes + node] = ((node - offset) * inverse) % kNodes;
  }
}

__global__ void give(const int* after, const int* rank, int* next) {
  const int node = work_item();
  const int share = rank[node] / static_cast<int>(kLinks);
  for (unsigned k = 0; k < kLinks; ++k) atomicAdd(next + after[k * kNodes + node], share);
}

__global__ void gather(const int* before, const int* rank, int* next) {
  const int node = work_item();
  int sum = 0;
  for (unsigned k = 0; k < kLinks; ++k)
    sum += rank[before[k * kNodes + node]] / static_cast<int>(kLinks);
  next[node] = sum;
}

double c(int variant) {
  int* after = filled<int>(kNodes * kLinks, 0);
  int* before = filled<int>(kNodes * kLinks, 0);
  prepare_graph<<<kNodes / 256, 256>>>(after, before);
  int* rank = mixed<int>(kNodes, 1 << 20);
  int* next = filled<int>(kNodes, 0);
  if (variant) gather<<<kNodes / 256, 256>>>(before, rank, next);
  else give<<<kNodes / 256, 256>>>(after, rank, next);
  return total(next, kNodes);
}

// d: pictures go to the GPU one after the other. Mended: as the bytes that they are, which the GPU
// makes wider, not the host.
template <typename Pixel>
__global__ void brighten(const Pixel* picture, int* sum) {
  const int i = work_item();
  sum[i] += min(255, picture[i] * 5 / 4);
}

template <typename Pixel>
double album() {
  constexpr int kPixels = 1 << 20, kPictures = 6;
  std::vector<Pixel> host(kPixels);
  Pixel* picture = filled<Pixel>(kPixels, 0);
  int* sum = filled<int>(kPixels, 0);
  for (int k = 0; k < kPictures; ++k) {
    for (int i = 0; i < kPixels; ++i) host[i] = (i * 7 + k * 13) & 255;
    HIP_CHECK(hipMemcpy(picture, host.data(), sizeof(Pixel) * kPixels, hipMemcpyHostToDevice));
    brighten<<<kPixels / 256, 256>>>(picture, sum);
  }
  return total(sum, kPixels);
}

double d(int variant) { return variant ? album<unsigned char>() : album<int>(); }

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
