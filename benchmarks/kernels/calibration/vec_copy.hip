// A copy of doubles, one per work-item, with the arguments of rocprofiler-compute's sample workload: two
// of them are not used, and decide how many scalar loads fetch the others.
#include "measure.h"

__global__ void vec_copy(const double* a, double* /*b*/, double* c, int n, int /*stride*/) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) c[id] = a[id];
}

int main() {
  const int n = 1 << 20;
  std::vector<double> values(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  double* a = device_copy(values);
  double* c = device_array<double>(n);
  const int repeats = 4;   // in a busy queue, as in the recording
  for (int repeat = 0; repeat < repeats; ++repeat)
    vec_copy<<<n / 256, 256>>>(a, nullptr, c, n, 1);
  for (int repeat = 0; repeat < repeats; ++repeat)
    launched("vec_copy", 2.0 * n * sizeof(double));
  require(host_copy(c, n) == values, "the copy equals its source");
}
