// 64-bit additions of system scope to places that a generator of random numbers chooses among one: all
// lanes meet at one address. Each number of waves in a short and in a long launch.
#include <string>

#include "measure.h"

using Count = unsigned long long;

struct Xorwow {
  unsigned a, b, c, d, e, weyl;
  __device__ explicit Xorwow(unsigned seed)
      : a(seed * 747796405u + 1), b(seed ^ 362436069u), c(521288629u), d(seed + 88675123u),
        e(5783321u), weyl(6615241u) {}
  __device__ unsigned next() {
    const unsigned mixed = a ^ (a >> 2);
    a = b;
    b = c;
    c = d;
    d = e;
    e = e ^ (e << 4) ^ mixed ^ (mixed << 1);
    weyl += 362437u;
    return e + weyl;
  }
};

__global__ void atomic_histogram(Count* bins, size_t size, size_t additions, Count* progress) {
  Xorwow random(blockIdx.x * blockDim.x + threadIdx.x);
  for (size_t i = 0; i < additions; ++i) {
    atomicAdd_system(bins + random.next() % size, Count(1));
    if (i % 200 == 0) atomicAdd_system(progress, Count(1));
  }
}

int main() {
  Count* bins = device_array<Count>(16);
  Count* progress = device_array<Count>(16);
  Count expected = 0;
  const auto add = [&](int groups, int lanes) {
    for (int additions : {40, 240}) {
      atomic_histogram<<<groups, lanes>>>(bins, 1, additions, progress);
      const std::string name = "lanes_" + std::to_string(groups * lanes);
      launched(name.c_str(), double(groups) * lanes * additions);
      expected += Count(groups) * lanes * additions;
    }
  };
  add(1, 1);
  for (int waves : {1, 4, 228}) add(waves, 64);
  require(host_copy(bins, 1)[0] == expected, "no addition is lost");
}
