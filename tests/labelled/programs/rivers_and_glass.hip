#include "data.h"

// a: two blocks of a network; each has three branches of three layers, which meet at its end.
constexpr int kUnits = 1 << 13, kBranches = 3, kLayers = 3, kBlocks = 2;

__global__ void layer(const int* in, int* out, int rounds) {
  int value = in[work_item()];
  for (int k = 0; k < rounds; ++k) value = (value * 5 + (value >> 4) + k) & 0xfffff;
  out[work_item()] = value;
}

__global__ void meet(const int* branches, int* out) {
  int sum = 0;
  for (int k = 0; k < kBranches; ++k) sum += branches[k * kUnits + work_item()];
  out[work_item()] = sum >> 2;
}

double a(int variant) {
  int* units = mixed<int>(kUnits, 1 << 16);
  int* branches = filled<int>(kBranches * kUnits, 0);
  hipStream_t streams[kBranches];
  hipEvent_t ended[kBranches], begun;
  for (auto& stream : streams) HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  for (auto& event : ended) HIP_CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  HIP_CHECK(hipEventCreateWithFlags(&begun, hipEventDisableTiming));
  HIP_CHECK(hipDeviceSynchronize());
  for (int block = 0; block < kBlocks; ++block) {
    HIP_CHECK(hipEventRecord(begun, streams[0]));
    for (int k = 0; k < kBranches; ++k) {
      const hipStream_t stream = streams[variant ? k : 0];
      int* own = branches + k * kUnits;
      HIP_CHECK(hipStreamWaitEvent(stream, begun, 0));
      layer<<<kUnits / 256, 256, 0, stream>>>(units, own, 1200 + 150 * k);
      for (int more = 1; more < kLayers; ++more)
        layer<<<kUnits / 256, 256, 0, stream>>>(own, own, 1600 - 200 * k);
      HIP_CHECK(hipEventRecord(ended[k], stream));
    }
    for (auto& event : ended) HIP_CHECK(hipStreamWaitEvent(streams[0], event, 0));
    meet<<<kUnits / 256, 256, 0, streams[0]>>>(branches, units);
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(units, kUnits);
}

// b: what has flowed until each of 4096 minutes, a wave for each of 1216 rivers.
constexpr int kRivers = 1216, kMinutes = 4096, kPieces = 16;

__device__ void sum_one_by_one(int (&flow)[kPieces], int& carry, int lane) {
#pragma unroll
  for (int k = 0; k < kPieces; ++k) {
    flow[k] += lane == 0 ? carry : 0;
#pragma unroll
    for (int step = 1; step < 64; step *= 2) {
      const int before = __shfl_up(flow[k], step);
      flow[k] += lane >= step ? before : 0;
    }
    carry = __shfl(flow[k], 63);
  }
}

__device__ void sum_together(int (&flow)[kPieces], int& carry, int lane) {
#pragma unroll
  for (int step = 1; step < 64; step *= 2) {
    int before[kPieces];
#pragma unroll
    for (int k = 0; k < kPieces; ++k) before[k] = __shfl_up(flow[k], step);
#pragma unroll
    for (int k = 0; k < kPieces; ++k) flow[k] += lane >= step ? before[k] : 0;
  }
  int ends[kPieces];
#pragma unroll
  for (int k = 0; k < kPieces; ++k) ends[k] = __shfl(flow[k], 63);
#pragma unroll
  for (int k = 0; k < kPieces; ++k) {
    flow[k] += carry;
    carry += ends[k];
  }
}

template <int kVariant>
__global__ __launch_bounds__(256) void flow_until(const int* in, int* out) {
  const int lane = threadIdx.x % 64;
  const int river = blockIdx.x * 4 + __builtin_amdgcn_readfirstlane(threadIdx.x / 64);
  int carry = 0;
#pragma unroll 1
  for (int from = 0; from < kMinutes; from += kPieces * 64) {
    const int first = river * kMinutes + from + lane;
    int flow[kPieces];
#pragma unroll
    for (int k = 0; k < kPieces; ++k) flow[k] = in[first + k * 64];
    if (kVariant) sum_together(flow, carry, lane);
    else sum_one_by_one(flow, carry, lane);
#pragma unroll
    for (int k = 0; k < kPieces; ++k) out[first + k * 64] = flow[k];
  }
}

double b(int variant) {
  int* in = mixed<int>(kRivers * kMinutes, 256);
  int* out = filled<int>(kRivers * kMinutes, 0);
  VARIANT(variant, flow_until, <<<kRivers / 4, 256>>>(in, out));
  return total(out, kRivers * kMinutes);
}

// c: where in time a code of 1024 chips lies in what was received, for each of 608 satellites.
constexpr int kSatellites = 608, kChips = 1024, kQuarter = kChips / 4;

__device__ void shift_one(const float* code, const float* heard, float* out) {
#pragma unroll 1
  for (int shift = threadIdx.x; shift < kChips; shift += kQuarter) {
    float sum = 0;
#pragma unroll 8
    for (int chip = 0; chip < kChips; ++chip)
      sum += code[chip] * heard[(shift - chip) & (kChips - 1)];
    out[shift] = sum;
  }
}

__device__ void shift_four(const float* code, const float* heard, float* out) {
  float sums[4] = {};
#pragma unroll 2
  for (int chip = 0; chip < kQuarter; ++chip) {
    float own[4], other[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) own[k] = code[chip + k * kQuarter];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      other[k] = heard[(threadIdx.x + k * kQuarter - chip) & (kChips - 1)];
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int j = 0; j < 4; ++j) sums[j] += own[k] * other[(j - k) & 3];
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) out[threadIdx.x + j * kQuarter] = sums[j];
}

template <int kVariant>
__global__ __launch_bounds__(kQuarter) void shift(const float* codes, const float* received,
                                                  float* out) {
  __shared__ float code[kChips], heard[kChips];
  const int from = blockIdx.x * kChips;
  for (int k = threadIdx.x; k < kChips; k += kQuarter) {
    code[k] = codes[from + k];
    heard[k] = received[from + k];
  }
  __syncthreads();
  if (kVariant) shift_four(code, heard, out + from);
  else shift_one(code, heard, out + from);
}

double c(int variant) {
  float* codes = mixed<float>(kSatellites * kChips, 2);
  float* received = mixed<float>(kSatellites * kChips, 64);
  float* out = filled<float>(kSatellites * kChips, 0);
  VARIANT(variant, shift, <<<kSatellites, kQuarter>>>(codes, received, out));
  return total(out, kSatellites * kChips);
}

// d: light that comes to a surface of glass goes on in it or is thrown back, and then on for 128
// steps through what is there.
constexpr int kRays = 304 * 1024, kMarch = 128;

__device__ float march(float height, float slope, float thick) {
  float light = 1;
#pragma unroll 1
  for (int step = 0; step < kMarch; ++step) {
    height += slope;
    const float bend = height * (0.25f - height * 0.0625f);
    slope = slope * (0.984375f - 0.03125f * thick) - bend * 0.0009765625f;
    light -= light * thick * (0.001f + fabsf(bend) * 0.002f);
  }
  return light + fabsf(height) * 0.01f;
}

template <int kVariant>
__global__ void follow(const float* angles, float* out) {
  const float angle = angles[work_item()] * 0.00390625f;
  const bool enters = hashed(work_item() + 99) >> 31;
  float light = 0;
  if (kVariant)
    light = march(enters ? 0.5f : 2, enters ? angle * 0.66f : -angle, enters ? 1.5f : 1);
  else if (enters) light = march(0.5f, angle * 0.66f, 1.5f);
  else light = march(2, -angle, 1);
  out[work_item()] = light;
}

double d(int variant) {
  float* angles = mixed<float>(kRays, 256);
  float* out = filled<float>(kRays, 0);
  VARIANT(variant, follow, <<<kRays / 256, 256>>>(angles, out));
  return total(out, kRays);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
