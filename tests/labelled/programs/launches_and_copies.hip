#include "program.h"

__global__ void step(int* data, int times) {
  int value = data[work_item()];
  for (int k = 0; k < times; ++k) value += 1 + (value & 1);
  data[work_item()] = value;
}

__global__ void step_all(int* data, int rounds) {
  int value = data[work_item()];
  for (int k = 0; k < rounds; ++k) value += 1 + (value & 1);
  data[work_item()] = value;
}

constexpr int kSmall = 4096, kLarge = 1 << 18;

double a(int variant) {
  int* data = filled<int>(kSmall, 0);
  if (variant)
    step_all<<<kSmall / 256, 256>>>(data, 40);
  else
    for (int k = 0; k < 40; ++k) step<<<kSmall / 256, 256>>>(data, 1);
  return total(data, kSmall);
}

double b(int variant) {
  int* data = filled<int>(kLarge, 0);
  for (int k = 0; k < 12; ++k) {
    step<<<kLarge / 256, 256>>>(data, 100);
    if (!variant) HIP_CHECK(hipDeviceSynchronize());
  }
  return total(data, kSmall);
}

double c(int variant) {
  int* data = filled<int>(kLarge, 0);
  std::vector<int> host(kLarge);
  for (int k = 0; k < 6; ++k) {
    step<<<kLarge / 256, 256>>>(data, 8);
    if (variant) continue;
    HIP_CHECK(hipMemcpy(host.data(), data, sizeof(int) * kLarge, hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemcpy(data, host.data(), sizeof(int) * kLarge, hipMemcpyHostToDevice));
  }
  return total(data, kSmall);
}

double d(int variant) {
  constexpr int kParts = 4, kPart = kLarge / kParts;
  int* data = filled<int>(kLarge, 0);
  int* host = nullptr;
  HIP_CHECK(hipHostMalloc(&host, sizeof(int) * kLarge));
  for (int k = 0; k < kLarge; ++k) host[k] = 1;
  HIP_CHECK(hipDeviceSynchronize());
  std::vector<hipStream_t> streams(variant ? kParts : 1);
  for (auto& stream : streams) HIP_CHECK(hipStreamCreate(&stream));
  for (int part = 0; part < kParts; ++part) {
    hipStream_t stream = streams[part % streams.size()];
    int* begin = data + part * kPart;
    size_t size = sizeof(int) * kPart;
    HIP_CHECK(hipMemcpyAsync(begin, host + part * kPart, size, hipMemcpyHostToDevice, stream));
    step<<<kPart / 256, 256, 0, stream>>>(begin, 400);
    HIP_CHECK(hipMemcpyAsync(host + part * kPart, begin, size, hipMemcpyDeviceToHost, stream));
  }
  HIP_CHECK(hipDeviceSynchronize());
  return std::accumulate(host, host + kSmall, 0.0);
}

double e(int variant) {
  int* data = filled<int>(kSmall, 0);
  hipStream_t stream;
  HIP_CHECK(hipStreamCreate(&stream));
  constexpr int kSteps = 24, kRounds = 2;
  if (variant) {
    step_all<<<kSmall / 256, 256, 0, stream>>>(data, kSteps * kRounds);
  } else {
    for (int k = 0; k < kSteps * kRounds; ++k) {
      step<<<kSmall / 256, 256, 0, stream>>>(data, 1);
      HIP_CHECK(hipStreamSynchronize(stream));
    }
  }
  HIP_CHECK(hipStreamSynchronize(stream));
  return total(data, kSmall);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  if (pair == 'd') return d(variant);
  return e(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
