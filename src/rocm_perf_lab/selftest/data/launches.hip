// What a launch costs. The parameter is the number of launches, of many_groups that of workgroups.
#include "bench.h"

__global__ void bench_empty(uint32_t* count) {
  if (threadIdx.x == 0) *count += 1;  // one wave, one after the other: no atomic is needed
}

__global__ void bench_groups(uint32_t* numbers) {
  if (threadIdx.x == 0) numbers[blockIdx.x] = blockIdx.x;
}

void empty(Bench& bench, size_t launches) {
  uint32_t* count = device_array<uint32_t>(1);
  bench.measure(
      [&] {
        for (size_t i = 0; i < launches; ++i) bench_empty<<<1, 64>>>(count);
      },
      int(launches));
  bench.require(host_copy(count, 1)[0] == launches * bench.launches());
  CHECK(hipFree(count));
}

// An event is recorded between each launch and the next.
void events(Bench& bench, size_t launches) {
  uint32_t* count = device_array<uint32_t>(1);
  std::vector<hipEvent_t> between(launches);
  for (hipEvent_t& event : between) CHECK(hipEventCreate(&event));
  bench.measure(
      [&] {
        for (size_t i = 0; i < launches; ++i) {
          bench_empty<<<1, 64>>>(count);
          CHECK(hipEventRecord(between[i]));
        }
      },
      int(launches));
  bench.require(host_copy(count, 1)[0] == launches * bench.launches());
  for (hipEvent_t event : between) CHECK(hipEventDestroy(event));
  CHECK(hipFree(count));
}

void many_groups(Bench& bench, size_t groups) {
  uint32_t* numbers = device_array<uint32_t>(groups);
  bench.measure([&] { bench_groups<<<unsigned(groups), 64>>>(numbers); });
  const std::vector<uint32_t> found = host_copy(numbers, groups);
  for (size_t i = 0; i < groups; ++i) bench.require(found[i] == i);
  CHECK(hipFree(numbers));
}

int main(int count, char** words) {
  return run_rows(count, words, {{"empty", empty}, {"chain", empty}, {"events", events},
                                 {"many_groups", many_groups}});
}
