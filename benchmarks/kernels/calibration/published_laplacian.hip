// The Laplacian of a grid of doubles: one point per work-item as one would write it down, and a column
// of points whose loads are in the order of their addresses.
#include <string>

#include "measure.h"

constexpr int kX = 512, kY = 512, kZ = 128;
constexpr size_t kPlane = size_t(kX) * kY;

struct Weights {
  double x, y, z, centre;
};

__global__ void laplacian_plain(double* to, const double* from, int nx, int ny, int nz, Weights w) {
  const int x = int(threadIdx.x + blockIdx.x * blockDim.x), y = int(blockIdx.y);
  const int z = int(blockIdx.z);
  if (x == 0 || x >= nx - 1 || y == 0 || y >= ny - 1 || z == 0 || z >= nz - 1) return;
  const size_t plane = size_t(nx) * ny, at = x + size_t(nx) * y + plane * z;
  to[at] = from[at] * w.centre + (from[at - 1] + from[at + 1]) * w.x +
           (from[at - nx] + from[at + nx]) * w.y + (from[at - plane] + from[at + plane]) * w.z;
}

template <int Points>
__global__ __launch_bounds__(256) void laplacian_column(double* to, const double* from, int nx,
                                                        int ny, int nz, Weights w) {
  const int x = int(threadIdx.x + blockIdx.x * blockDim.x), y = Points * int(blockIdx.y);
  const int z = int(blockIdx.z);
  if (x == 0 || x >= nx - 1 || z == 0 || z >= nz - 1) return;
  const size_t plane = size_t(nx) * ny, at = x + size_t(nx) * y + plane * z;
  double sum[Points];
  for (int i = 0; i < Points; ++i) sum[i] = from[at - plane + i * nx] * w.z;
  if (y > 0) sum[0] += from[at - nx] * w.y;
  for (int i = 0; i < Points; ++i) {
    const size_t here = at + size_t(i) * nx;
    const double centre = from[here];
    sum[i] += (from[here - 1] + from[here + 1]) * w.x + centre * w.centre;
    if (i > 0) sum[i - 1] += centre * w.y;
    if (i + 1 < Points) sum[i + 1] += centre * w.y;
  }
  if (y + Points < ny) sum[Points - 1] += from[at + size_t(Points) * nx] * w.y;
  for (int i = 0; i < Points; ++i) sum[i] += from[at + plane + i * nx] * w.z;
  for (int i = 0; i < Points; ++i)
    if (y + i > 0 && y + i < ny - 1) to[at + size_t(i) * nx] = sum[i];
}

template <int Points>
void column(double* to, const double* from, const Weights& weights) {
  laplacian_column<Points><<<dim3(kX / 256, kY / Points, kZ), 256>>>(to, from, kX, kY, kZ, weights);
  launched(("column_" + std::to_string(Points)).c_str(), 0);
}

int main() {
  double* from = device_array<double>(kPlane * kZ);
  double* to = device_array<double>(kPlane * kZ);
  const size_t middle = kPlane * (kZ / 2) + kX * (kY / 2) + kX / 2;
  const double one = 1.0;
  CHECK(hipMemcpy(from + middle, &one, sizeof one, hipMemcpyHostToDevice));
  const Weights weights{1, 1, 1, -6};
  const auto right = [&] {
    const std::vector<double> around = host_copy(to + middle - 1, 3);
    require(around[0] == 1 && around[1] == -6 && around[2] == 1, "the Laplacian of a point");
  };
  laplacian_plain<<<dim3(kX / 256, kY, kZ), 256>>>(to, from, kX, kY, kZ, weights);
  launched("plain", 0);
  right();
  column<1>(to, from, weights);
  column<4>(to, from, weights);
  column<8>(to, from, weights);
  right();
}
