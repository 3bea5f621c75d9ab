// read_bandwidth KIBIBYTES...: every workgroup reads through a region that all share, from a start of
// its own, so that the region's size decides which memory answers. Three launches per size, the last
// with twice the passes: the difference of the last two is free of launch and of cold caches. Then the LDS.
#include <string>

#include "measure.h"

using Vector = __attribute__((ext_vector_type(4))) float;  // asm takes it in registers

constexpr int kGroup = 256;
constexpr int kUnroll = 4;
constexpr size_t kChunk = kGroup * kUnroll * sizeof(Vector);  // 16 KB: what a workgroup reads per pass
constexpr unsigned kGroups = 304 * 4;

__global__ void read_region(const Vector* region, size_t chunks, int passes, float* out) {
  size_t chunk = chunks * blockIdx.x / gridDim.x;
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const Vector* at = region + chunk * (kChunk / sizeof(Vector)) + threadIdx.x;
    Vector a, b, c, d;
    // Written out: a region of one chunk would be read only once.
    asm volatile(
        "global_load_dwordx4 %0, %4, off\n global_load_dwordx4 %1, %5, off\n"
        "global_load_dwordx4 %2, %6, off\n global_load_dwordx4 %3, %7, off\n s_waitcnt vmcnt(0)"
        : "=&v"(a), "=&v"(b), "=&v"(c), "=&v"(d)
        : "v"(at), "v"(at + kGroup), "v"(at + 2 * kGroup), "v"(at + 3 * kGroup));
    sum += a.x + b.y + c.z + d.w;
    if (++chunk == chunks) chunk = 0;
  }
  if (sum != 0) *out = sum;
}

// All waves of a CU read LDS without conflicts, 16 bytes per lane.
__global__ void read_lds(int passes, float* out) {
  __shared__ Vector values[1024];
  values[threadIdx.x] = 0;
  __syncthreads();
  const unsigned at = lds_address(values + threadIdx.x);
  Vector a, b, c, d;
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    asm volatile(
        "ds_read_b128 %0, %4\n ds_read_b128 %1, %4\n ds_read_b128 %2, %4\n ds_read_b128 %3, %4\n"
        "s_waitcnt lgkmcnt(0)"
        : "=&v"(a), "=&v"(b), "=&v"(c), "=&v"(d)
        : "v"(at)
        : "memory");
    sum += a.x + b.y + c.z + d.w;
  }
  if (sum != 0) *out = sum;
}

void measure_region(size_t kibibytes, float* out) {
  const size_t bytes = kibibytes * 1024, chunks = bytes / kChunk;
  require(chunks > 0, "a region holds at least 16 KiB");
  Vector* region = device_array<Vector>(bytes / sizeof(Vector));
  for (int passes : {16, 16, 32}) {
    read_region<<<kGroups, kGroup>>>(region, chunks, passes, out);
    launched(("region_" + std::to_string(kibibytes)).c_str(), double(kGroups) * kChunk * passes);
  }
  CHECK(hipFree(region));
}

int main(int argc, char** argv) {
  float* out = device_array<float>(1);
  for (int i = 1; i < argc; ++i) measure_region(size_t(std::atoll(argv[i])), out);
  const int threads = 1024, groups = 304 * 2;
  for (int passes : {32, 32, 64}) {
    read_lds<<<groups, threads>>>(passes, out);
    launched("lds", double(groups) * threads * 4 * sizeof(Vector) * passes);
  }
  require(host_copy(out, 1)[0] == 0, "only zeros were read");
}
