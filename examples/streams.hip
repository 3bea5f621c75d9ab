// streams [elements]: copy in, compute, copy out, in pieces on several streams.
// Lesson: streams let the copies of one piece overlap with the kernel of another; events order work
// across streams and measure time on the device.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define HIP_CHECK(call)                                                                     \
  do {                                                                                      \
    const hipError_t status_ = (call);                                                      \
    if (status_ != hipSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status_));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

constexpr int kStreams = 4;

__global__ void scale_and_shift(float* data, int n, float scale, float shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * scale + shift;
}

int main(int argc, char** argv) {
  const int piece = (argc > 1 ? std::atoi(argv[1]) : 32768) / kStreams, n = piece * kStreams;
  const size_t bytes = piece * sizeof(float);
  float *host, *device;
  HIP_CHECK(hipHostMalloc(&host, bytes * kStreams));
  HIP_CHECK(hipMalloc(&device, bytes * kStreams));
  for (int i = 0; i < n; ++i) host[i] = i % 100;

  hipEvent_t begin, end, done[kStreams];
  hipStream_t streams[kStreams];
  HIP_CHECK(hipEventCreate(&begin));
  HIP_CHECK(hipEventCreate(&end));
  for (int s = 0; s < kStreams; ++s) {
    HIP_CHECK(hipStreamCreate(&streams[s]));
    HIP_CHECK(hipEventCreateWithFlags(&done[s], hipEventDisableTiming));
  }
  HIP_CHECK(hipEventRecord(begin, streams[0]));
  for (int s = 0; s < kStreams; ++s) {
    float *from = host + s * piece, *to = device + s * piece;
    HIP_CHECK(hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, streams[s]));
    scale_and_shift<<<(piece + 255) / 256, 256, 0, streams[s]>>>(to, piece, 2.0f, 1.0f);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpyAsync(from, to, bytes, hipMemcpyDeviceToHost, streams[s]));
    HIP_CHECK(hipEventRecord(done[s], streams[s]));
  }
  // The first stream waits for all others before the end is recorded in it.
  for (int s = 1; s < kStreams; ++s) HIP_CHECK(hipStreamWaitEvent(streams[0], done[s], 0));
  HIP_CHECK(hipEventRecord(end, streams[0]));
  HIP_CHECK(hipEventSynchronize(end));
  float milliseconds = -1.0f;
  HIP_CHECK(hipEventElapsedTime(&milliseconds, begin, end));

  int wrong = milliseconds < 0.0f;
  for (int i = 0; i < n; ++i) wrong += host[i] != i % 100 * 2.0f + 1.0f;
  for (int s = 0; s < kStreams; ++s) {
    HIP_CHECK(hipEventDestroy(done[s]));
    HIP_CHECK(hipStreamDestroy(streams[s]));
  }
  HIP_CHECK(hipEventDestroy(begin));
  HIP_CHECK(hipEventDestroy(end));
  HIP_CHECK(hipHostFree(host));
  HIP_CHECK(hipFree(device));
  std::printf("%s streams: %d elements on %d streams, %d wrong\n", wrong ? "FAIL" : "PASS", n,
              kStreams, wrong);
  return wrong != 0;
}
