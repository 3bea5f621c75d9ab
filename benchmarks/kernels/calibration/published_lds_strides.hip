// One workgroup of 16 waves reads the LDS, 4 bytes per lane, lanes a stride of words apart; each stride
// in a short and in a long launch.
#include <string>

#include "measure.h"

constexpr int kWords = 16384, kThreads = 1024;

__global__ void stride_reads(unsigned* out, const unsigned* places, int mask, int reads) {
  __shared__ unsigned words[kWords];
  for (int i = threadIdx.x; i < kWords; i += kThreads) words[i] = out[i];
  __syncthreads();
  const unsigned place = places[threadIdx.x % 64];
  unsigned sum = 0;
  for (int i = 0; i < reads; ++i) sum += words[place + (i & mask)];  // the mask is 0
  if (threadIdx.x == 0) out[0] = sum;
}

int main() {
  unsigned* out = device_array<unsigned>(kWords);
  for (unsigned stride : {2u, 8u, 32u, 33u}) {
    std::vector<unsigned> places(64);
    for (unsigned lane = 0; lane < 64; ++lane) places[lane] = lane * stride;
    const unsigned* at = device_copy(places);
    for (int reads : {400, 2400}) {
      stride_reads<<<1, kThreads>>>(out, at, 0, reads);
      launched(("stride_" + std::to_string(stride)).c_str(), reads);
    }
  }
}
