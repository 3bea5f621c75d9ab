#include "data.h"

// a: walks of a price until it meets a barrier. Mended: a work-item begins its next walk when its
// own has ended, not when those of its neighbours have.
constexpr int kWalkers = 304 * 256, kWalks = 12;

__device__ bool moves(unsigned& state, int& price) {
  state = hashed(state);
  price += static_cast<int>(state >> 8 & 15) - 7;
  return state % 32 != 0;
}

__global__ void walk_together(int* out) {
  int sum = 0;
  for (int k = 0; k < kWalks; ++k) {
    unsigned state = work_item() + k * kWalkers;
    int price = 1000;
    while (moves(state, price)) {
    }
    sum += max(0, price - 1000);
  }
  out[work_item()] = sum;
}

__global__ void walk_alone(int* out) {
  int sum = 0, price = 1000, k = 0;
  unsigned state = work_item();
  while (k < kWalks) {
    const bool ended = !moves(state, price);
    sum += ended ? max(0, price - 1000) : 0;
    price = ended ? 1000 : price;
    k += ended;
    state = ended ? work_item() + k * kWalkers : state;
  }
  out[work_item()] = sum;
}

double a(int variant) {
  int* out = filled<int>(kWalkers, 0);
  if (variant) walk_alone<<<kWalkers / 256, 256>>>(out);
  else walk_together<<<kWalkers / 256, 256>>>(out);
  return total(out, kWalkers);
}

// b: a filter of 24 weights along traces of an earthquake, one trace for a workgroup. Mended: the
// next piece is asked for before this one is used.
constexpr int kTraces = 304, kPiece = 256, kPieces = 96, kWeights = 24;

__device__ float filtered(const float* piece) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kWeights; ++k) sum += piece[threadIdx.x + k] * (k % 5 + 1);
  return sum;
}

template <int kVariant>
__global__ __launch_bounds__(kPiece) void listen(const float* traces, float* most) {
  __shared__ float piece[kPiece + kWeights];
  const float* trace = traces + static_cast<size_t>(blockIdx.x) * kPiece * kPieces + threadIdx.x;
  if (threadIdx.x < kWeights) piece[kPiece + threadIdx.x] = 0;
  float loudest = 0;
  float next = trace[0];
  for (int k = 0; k < kPieces; ++k) {
    piece[threadIdx.x] = kVariant || k == 0 ? next : trace[k * kPiece];
    __syncthreads();
    if (kVariant) next = trace[min(k + 1, kPieces - 1) * kPiece];
    loudest = fmaxf(loudest, filtered(piece));
    __syncthreads();
  }
  most[work_item()] = loudest;
}

double b(int variant) {
  float* traces = mixed<float>(kTraces * kPiece * kPieces, 512);
  float* most = filled<float>(kTraces * kPiece, 0);
  VARIANT(variant, listen, <<<kTraces, kPiece>>>(traces, most));
  return total(most, kTraces * kPiece);
}

// c: a layer of a network for a batch of four. Mended: 64 workgroups have a part of the sum each,
// for the same columns.
constexpr int kBatch = 4, kInputs = 4096, kOutputs = 1024, kParts = 64;

__global__ void layer(const int* inputs, const int* weights, int* outputs) {
  const int column = work_item(), length = kInputs / gridDim.y, from = blockIdx.y * length;
  int sums[kBatch] = {};
  for (int k = from; k < from + length; ++k) {
    const int weight = weights[k * kOutputs + column];
    for (int row = 0; row < kBatch; ++row) sums[row] += weight * inputs[row * kInputs + k];
  }
  for (int row = 0; row < kBatch; ++row) {
    int* output = outputs + row * kOutputs + column;
    if (gridDim.y > 1) atomicAdd(output, sums[row]);
    else *output = sums[row];
  }
}

double c(int variant) {
  int* inputs = mixed<int>(kBatch * kInputs, 64);
  int* weights = mixed<int>(kInputs * kOutputs, 64);
  int* outputs = filled<int>(kBatch * kOutputs, 0);
  layer<<<dim3(kOutputs / 128, variant ? kParts : 1), 128>>>(inputs, weights, outputs);
  return total(outputs, kBatch * kOutputs);
}

// d: sounds in decibels. Mended: a logarithm of float is exact enough to be rounded.
constexpr int kSounds = 1 << 16, kBands = 32;

template <typename Real>
__global__ void loudness(const int* powers, int* out) {
  int sum = 0;
  for (int band = 0; band < kBands; ++band) {
    const Real power = powers[band * kSounds + work_item()] + 1;
    sum += static_cast<int>(10 * log10(power) + Real(0.5));
  }
  out[work_item()] = sum;
}

double d(int variant) {
  int* powers = mixed<int>(kSounds * kBands, 4096);
  int* out = filled<int>(kSounds, 0);
  if (variant) loudness<float><<<kSounds / 256, 256>>>(powers, out);
  else loudness<double><<<kSounds / 256, 256>>>(powers, out);
  return total(out, kSounds);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
