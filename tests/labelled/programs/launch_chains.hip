#include "program.h"

__global__ void turn(int* data, int times) {
  int value = data[work_item()];
  for (int k = 0; k < times; ++k) value += 1 + (value & 1);
  data[work_item()] = value;
}

__global__ void first(const int* in, int* out) { out[work_item()] = in[work_item()] * 3; }
__global__ void second(int* data) { data[work_item()] += 7; }
__global__ void third(const int* in, int* out) { out[work_item()] += in[work_item()] & 15; }
__global__ void whole(const int* in, int* out, int rounds) {
  int value = in[work_item()], sum = 0;
  for (int k = 0; k < rounds; ++k) sum = value * 3 + 7 + (value & 15);
  out[work_item()] = sum;
}

constexpr int kSmall = 8192, kLarge = 1 << 18;

double a(int variant) {
  int* data = filled<int>(kLarge, 0);
  int* kept = nullptr;
  HIP_CHECK(hipMalloc(&kept, sizeof(int) * kLarge));
  HIP_CHECK(hipMemset(kept, 0, sizeof(int) * kLarge));
  for (int k = 0; k < 12; ++k) {
    int* room = kept;
    if (!variant) HIP_CHECK(hipMalloc(&room, sizeof(int) * kLarge));
    first<<<kLarge / 256, 256>>>(data, room);
    turn<<<kLarge / 256, 256>>>(data, 60);
    if (!variant) HIP_CHECK(hipFree(room));
  }
  return total(data, kSmall);
}

double b(int variant) {
  constexpr int kParts = 64;
  int* data = filled<int>(kLarge, 0);
  int* host = nullptr;
  HIP_CHECK(hipHostMalloc(&host, sizeof(int) * kLarge));
  for (int k = 0; k < kLarge; ++k) host[k] = k & 7;
  if (variant) {
    HIP_CHECK(hipMemcpy(data, host, sizeof(int) * kLarge, hipMemcpyHostToDevice));
  } else {
    constexpr int kPart = kLarge / kParts;
    for (int part = 0; part < kParts; ++part)
      HIP_CHECK(hipMemcpy(data + part * kPart, host + part * kPart, sizeof(int) * kPart,
                          hipMemcpyHostToDevice));
  }
  turn<<<kLarge / 256, 256>>>(data, 100);
  return total(data, kSmall);
}

double c(int variant) {
  constexpr int kParts = 8;
  int* data = filled<int>(kSmall * kParts, 0);
  HIP_CHECK(hipDeviceSynchronize());
  std::vector<hipStream_t> streams(variant ? kParts : 1);
  for (auto& stream : streams) HIP_CHECK(hipStreamCreate(&stream));
  for (int part = 0; part < kParts; ++part)
    turn<<<kSmall / 256, 256, 0, streams[part % streams.size()]>>>(data + part * kSmall, 6000);
  HIP_CHECK(hipDeviceSynchronize());
  return total(data, kSmall);
}

double d(int variant) {
  int* data = filled<int>(kLarge, 0);
  int last = 0;
  for (int k = 1; k <= 24; ++k) {
    turn<<<kLarge / 256, 256>>>(data, 100);
    if (variant && k % 8) continue;
    HIP_CHECK(hipMemcpy(&last, data, sizeof(int), hipMemcpyDeviceToHost));
    if (last < 0) return last;
  }
  return total(data, kSmall);
}

double e(int variant) {
  int* in = filled<int>(kSmall, 1);
  int* out = filled<int>(kSmall, 0);
  if (variant) {
    whole<<<kSmall / 256, 256>>>(in, out, 10);
  } else {
    for (int k = 0; k < 10; ++k) {
      first<<<kSmall / 256, 256>>>(in, out);
      second<<<kSmall / 256, 256>>>(out);
      third<<<kSmall / 256, 256>>>(in, out);
    }
  }
  return total(out, kSmall);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  if (pair == 'd') return d(variant);
  return e(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
