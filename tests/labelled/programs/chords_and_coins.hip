#include "data.h"

// a: how likely 9728 runs of 16 bases are in a model of genes with 32 hidden states; eight runs
// to a workgroup.
constexpr int kRuns = 9728, kBases = 16, kStates = 32, kAtOnce = 8;

template <int kVariant>
__global__ __launch_bounds__(kStates* kAtOnce) void forward(const float* __restrict__ model,
                                                            const float* __restrict__ shown,
                                                            const int* __restrict__ bases,
                                                            float* __restrict__ out) {
  __shared__ float moves[kStates][kStates];
  __shared__ __attribute__((aligned(16))) float before[kAtOnce][kStates];
  const int state = threadIdx.x, run = blockIdx.x * kAtOnce + threadIdx.y;
  for (int i = threadIdx.y; i < kStates; i += kAtOnce) moves[i][state] = model[i * kStates + state];
  __syncthreads();
  float from[kVariant ? kStates : 1], likely = 1.0f / kStates;
  if (kVariant)
#pragma unroll
    for (int i = 0; i < kStates; ++i) from[kVariant ? i : 0] = moves[i][state];
#pragma unroll 1
  for (int k = 0; k < kBases; ++k) {
    const float seen = shown[bases[k * kRuns + run] * kStates + state];
    before[threadIdx.y][state] = likely;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kStates; ++i)
      sum += before[threadIdx.y][i] * (kVariant ? from[kVariant ? i : 0] : moves[i][state]);
    likely = sum * seen * 0.0078125f;
    __syncthreads();
  }
  out[run * kStates + state] = likely;
}

double a(int variant) {
  float *model = mixed<float>(kStates * kStates, 16), *shown = mixed<float>(256, 4);
  int* bases = mixed<int>(kBases * kRuns, 4);
  float* out = filled<float>(kRuns * kStates, 0);
  const dim3 group(kStates, kAtOnce);
  VARIANT(variant, forward, <<<kRuns / kAtOnce, group>>>(model, shown, bases, out));
  return total(out, kRuns * kStates);
}

// b: a step of training for 36 layers, each of which has weights and biases of its own size.
constexpr int kTensors = 72, kPart = 1024;

struct Tensor {
  float *weights, *slopes, *means, *squares;
  int count;
};

struct Tensors {
  Tensor each[kTensors];
};

__device__ void improve(const Tensor& tensor, int i) {
  const float slope = tensor.slopes[i];
  const float mean = 0.875f * tensor.means[i] + 0.125f * slope;
  const float square = 0.9375f * tensor.squares[i] + 0.0625f * slope * slope;
  tensor.means[i] = mean;
  tensor.squares[i] = square;
  tensor.weights[i] -= 0.001f * mean / (sqrtf(square) + 0.0001f);
}

__global__ __launch_bounds__(256) void learn(Tensor tensor) {
  for (int k = 0; k < kPart; k += 256) {
    const int i = blockIdx.x * kPart + k + threadIdx.x;
    if (i < tensor.count) improve(tensor, i);
  }
}

__global__ __launch_bounds__(256) void learn_all(const Tensors* __restrict__ tensors) {
  const Tensor tensor = tensors->each[blockIdx.y];
  for (int k = 0; k < kPart; k += 256) {
    const int i = blockIdx.x * kPart + k + threadIdx.x;
    if (i < tensor.count) improve(tensor, i);
  }
}

double b(int variant) {
  constexpr int kMost = 16384, kSpan = kTensors * kMost;
  float* weights = mixed<float>(kSpan, 64);
  float* slopes = mixed<float>(kSpan, 32);
  float *means = filled<float>(kSpan, 0), *squares = filled<float>(kSpan, 0);
  Tensors tensors;
  for (int k = 0; k < kTensors; ++k) {
    const int at = k * kMost, count = k % 2 ? 128 + k : kMost - k * 190;
    tensors.each[k] = {weights + at, slopes + at, means + at, squares + at, count};
  }
  auto* known = filled<Tensors>(1, 0);
  HIP_CHECK(hipMemcpy(known, &tensors, sizeof(tensors), hipMemcpyHostToDevice));
  HIP_CHECK(hipDeviceSynchronize());
  if (variant) learn_all<<<dim3(kMost / kPart, kTensors), 256>>>(known);
  else
    for (const Tensor& tensor : tensors.each)
      learn<<<(tensor.count + kPart - 1) / kPart, 256>>>(tensor);
  return total(weights, kSpan);
}

// c: in how many ways coins of 1024 kinds make up sums below eight, for 912 purses: the product of
// as many series, of which the first eight terms matter.
constexpr int kPurses = 912, kKinds = 1024, kTerms = 8;

template <int kVariant>
__global__ __launch_bounds__(kKinds) void count_ways(const unsigned* __restrict__ coins,
                                                     unsigned* __restrict__ out) {
  __shared__ unsigned series[kTerms][kKinds];
  const int t = threadIdx.x;
  unsigned own[kTerms];
#pragma unroll
  for (int k = 0; k < kTerms; ++k)
    series[k][t] = own[k] = coins[(blockIdx.x % 64 * kTerms + k) * kKinds + t] | !k;
#pragma unroll 1
  for (int step = kVariant ? kKinds / 2 : 1; step > 0 && step < kKinds;
       step = kVariant ? step / 2 : step * 2) {
    __syncthreads();
    if (kVariant ? t < step : t % (2 * step) == 0) {
      unsigned other[kTerms];
#pragma unroll
      for (int k = 0; k < kTerms; ++k) other[k] = series[k][t + step];
#pragma unroll
      for (int k = kTerms - 1; k >= 0; --k) {
        unsigned sum = 0;
#pragma unroll
        for (int i = 0; i <= k; ++i) sum += own[i] * other[k - i];
        series[k][t] = own[k] = sum;
      }
    }
  }
  if (t == 0)
    for (int k = 0; k < kTerms; ++k) out[blockIdx.x * kTerms + k] = own[k] >> 4;
}

double c(int variant) {
  auto* coins = mixed<unsigned>(64 * kTerms * kKinds, 5);
  auto* out = filled<unsigned>(kPurses * kTerms, 0);
  VARIANT(variant, count_ways, <<<kPurses, kKinds>>>(coins, out));
  return total(out, kPurses * kTerms);
}

// d: 608 chords of 48 tones each, 2048 samples long; tones are rows of a table of FP16 and begin at
// any eighth sample of it.
constexpr int kChords = 608, kTones = 48, kSamples = 2048, kKnown = 32, kRow = 4096;

template <int kWide>
__global__ __launch_bounds__(128) void sound(const _Float16* __restrict__ table,
                                             const int* __restrict__ tones,
                                             _Float16* __restrict__ out) {
  typedef _Float16 Some __attribute__((ext_vector_type(kWide)));
  const int at = (blockIdx.x * 128 + threadIdx.x) * kWide, chord = blockIdx.y;
  Some sum = 0;
#pragma unroll 8
  for (int k = 0; k < kTones; ++k) {
    const int tone = tones[chord * kTones + k], begin = tone / kKnown % 256 * 8;
    sum += *reinterpret_cast<const Some*>(table + tone % kKnown * kRow + begin + at);
  }
  *reinterpret_cast<Some*>(out + chord * kSamples + at) = sum;
}

__global__ void prepare_table(_Float16* table) {
  table[work_item()] = static_cast<_Float16>(static_cast<float>(hashed(work_item()) % 32));
}

__global__ void prepare_sums(const _Float16* halves, float* out) {
  out[work_item()] = halves[work_item()];
}

double d(int variant) {
  auto *table = filled<_Float16>(kKnown * kRow, 0),
       *heard = filled<_Float16>(kChords * kSamples, 0);
  prepare_table<<<kKnown * kRow / 256, 256>>>(table);
  int* tones = mixed<int>(kChords * kTones, 65521);
  if (variant) sound<8><<<dim3(kSamples / 1024, kChords), 128>>>(table, tones, heard);
  else sound<1><<<dim3(kSamples / 128, kChords), 128>>>(table, tones, heard);
  float* out = filled<float>(kChords * kSamples, 0);
  prepare_sums<<<kChords * kSamples / 256, 256>>>(heard, out);
  return total(out, kChords * kSamples);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
