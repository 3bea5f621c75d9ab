// Order within and between streams, events and their times.
#include "cases.h"

#include <atomic>
#include <cmath>
#include <thread>

__global__ void add(int* value, int amount) { *value += amount; }
__global__ void multiply(int* value, int factor) { *value *= factor; }
__global__ void spin(int* out, int rounds) {
  int x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1664525 + 1013904223;
  out[threadIdx.x] = x;
}

CASE(work_of_one_stream_is_in_order) {
  int* value = on_device<int>({1});
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  for (int i = 0; i < 20; ++i) {
    add<<<1, 1, 0, stream>>>(value, 1);
    multiply<<<1, 1, 0, stream>>>(value, i % 2 ? 1 : 2);
  }
  OK(hipStreamSynchronize(stream));
  int expected = 1;
  for (int i = 0; i < 20; ++i) expected = (expected + 1) * (i % 2 ? 1 : 2);
  CHECK(on_host(value, 1)[0] == expected);
  OK(hipStreamDestroy(stream));
}

CASE(the_default_stream_waits_for_blocking_streams) {
  int* value = on_device<int>({0});
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  add<<<1, 1, 0, stream>>>(value, 5);
  multiply<<<1, 1>>>(value, 3);
  add<<<1, 1, 0, stream>>>(value, 1);
  OK(hipDeviceSynchronize());
  CHECK(on_host(value, 1)[0] == 16);
}

CASE(an_event_orders_two_streams) {
  int* value = on_device<int>({0});
  hipStream_t first, second;
  hipEvent_t ready;
  OK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  OK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  OK(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
  int* noise = on_device(std::vector<int>(64));
  spin<<<1, 64, 0, first>>>(noise, 20000);
  add<<<1, 1, 0, first>>>(value, 7);
  OK(hipEventRecord(ready, first));
  OK(hipStreamWaitEvent(second, ready, 0));
  multiply<<<1, 1, 0, second>>>(value, 6);
  OK(hipStreamSynchronize(second));
  CHECK(on_host(value, 1)[0] == 42);
}

CASE(a_wait_without_work_behind_it_counts) {
  int* out = on_device(std::vector<int>(64, -1));
  hipStream_t first, second;
  hipEvent_t done;
  OK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  OK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  OK(hipEventCreate(&done));
  spin<<<1, 64, 0, first>>>(out, 100000);
  OK(hipEventRecord(done, first));
  OK(hipStreamWaitEvent(second, done, 0));
  OK(hipStreamSynchronize(second));
  OK(hipEventQuery(done));
}

CASE(polling_ends_and_costs_no_time) {
  int* out = on_device(std::vector<int>(64));
  hipEvent_t done, after;
  float waited, polled;
  OK(hipEventCreate(&done));
  OK(hipEventCreate(&after));
  for (float* time : {&waited, &polled}) {
    OK(hipDeviceSynchronize());
    spin<<<1, 64>>>(out, 20000);
    OK(hipEventRecord(done));
    if (time == &waited) OK(hipEventSynchronize(done));
    while (hipEventQuery(done) == hipErrorNotReady) {
    }
    OK(hipEventRecord(after));
    OK(hipEventSynchronize(after));
    OK(hipEventElapsedTime(time, done, after));
  }
  CHECK(std::abs(waited - polled) < 0.001f);
}

CASE(times_are_positive_and_the_same_again) {
  hipEvent_t start, stop;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  int* out = on_device(std::vector<int>(64));
  float times[2];
  for (float& time : times) {
    OK(hipDeviceSynchronize());
    OK(hipEventRecord(start));
    spin<<<1, 64>>>(out, 1000);
    OK(hipEventRecord(stop));
    OK(hipEventSynchronize(stop));
    OK(hipEventElapsedTime(&time, start, stop));
  }
  CHECK(times[0] > 0);
  float longer;
  OK(hipEventRecord(start));
  spin<<<1, 64>>>(out, 10000);
  OK(hipEventRecord(stop));
  OK(hipEventSynchronize(stop));
  OK(hipEventElapsedTime(&longer, start, stop));
  CHECK(longer > times[1]);
}

CASE(independent_streams_overlap_in_time) {
  hipStream_t streams[2];
  hipEvent_t start, stop[2];
  int* out = on_device(std::vector<int>(64));
  int* other = on_device(std::vector<int>(64));
  OK(hipEventCreate(&start));
  for (int i = 0; i < 2; ++i) {
    OK(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    OK(hipEventCreate(&stop[i]));
  }
  spin<<<1, 64>>>(out, 10);
  OK(hipDeviceSynchronize());
  OK(hipEventRecord(start, streams[0]));
  spin<<<1, 64, 0, streams[0]>>>(out, 30000);
  spin<<<1, 64, 0, streams[1]>>>(other, 30000);
  float times[2];
  for (int i = 0; i < 2; ++i) {
    OK(hipEventRecord(stop[i], streams[i]));
    OK(hipEventSynchronize(stop[i]));
    OK(hipEventElapsedTime(&times[i], start, stop[i]));
  }
  CHECK(times[1] < 1.5f * times[0]);
}

CASE(event_states) {
  hipEvent_t event, timeless;
  float time;
  OK(hipEventCreate(&event));
  OK(hipEventCreateWithFlags(&timeless, hipEventDisableTiming));
  OK(hipEventQuery(event));
  EXPECT(hipErrorInvalidHandle, hipEventElapsedTime(&time, event, event));
  OK(hipEventRecord(event));
  OK(hipEventRecord(timeless));
  OK(hipEventSynchronize(event));
  OK(hipEventSynchronize(timeless));
  EXPECT(hipErrorInvalidHandle, hipEventElapsedTime(&time, event, timeless));
  OK(hipEventElapsedTime(&time, event, event));
  CHECK(time == 0);
  OK(hipEventDestroy(event));
  EXPECT(hipErrorInvalidHandle, hipEventDestroy(event));
  EXPECT(hipErrorInvalidHandle, hipEventQuery(event));
}

CASE(not_ready_is_not_an_error) {
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  unsigned* gate;
  OK(hipHostMalloc(&gate, 4, 0));
  *gate = 0;
  OK(hipStreamWaitValue32(stream, gate, 1, hipStreamWaitValueEq, 0xffffffff));
  EXPECT(hipErrorNotReady, hipStreamQuery(stream));
  OK(hipGetLastError());
  *reinterpret_cast<volatile unsigned*>(gate) = 1;
  OK(hipStreamSynchronize(stream));
  OK(hipStreamQuery(stream));
}

CASE(host_functions_run_in_order) {
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  int* value;
  OK(hipHostMalloc(&value, sizeof(int), 0));
  *value = 1;
  add<<<1, 1, 0, stream>>>(value, 4);
  OK(hipLaunchHostFunc(stream, [](void* p) { *static_cast<int*>(p) *= 10; }, value));
  add<<<1, 1, 0, stream>>>(value, 2);
  OK(hipStreamAddCallback(
      stream,
      [](hipStream_t, hipError_t status, void* p) {
        if (status == hipSuccess) *static_cast<int*>(p) += 100;
      },
      value, 0));
  OK(hipStreamSynchronize(stream));
  CHECK(*value == 152);
}

CASE(threads_share_the_device) {
  constexpr int kThreads = 8, kRounds = 20;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([t, &wrong] {
      int* value = on_device<int>({t});
      for (int i = 0; i < kRounds; ++i) add<<<1, 1, 0, hipStreamPerThread>>>(value, t);
      if (hipStreamSynchronize(hipStreamPerThread) != hipSuccess) ++wrong;
      if (on_host(value, 1)[0] != t * (kRounds + 1)) ++wrong;
      if (hipFree(value) != hipSuccess) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

CASE(stream_properties) {
  hipStream_t stream;
  int least, greatest, priority;
  unsigned flags;
  OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(greatest < least);
  OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, greatest));
  OK(hipStreamGetPriority(stream, &priority));
  OK(hipStreamGetFlags(stream, &flags));
  CHECK(priority == greatest && flags == hipStreamNonBlocking);
  OK(hipStreamDestroy(stream));
  EXPECT(hipErrorInvalidHandle, hipStreamSynchronize(stream));
  EXPECT(hipErrorInvalidValue, hipStreamCreateWithFlags(&stream, 77));
}
