// The kernels of a Runge-Kutta step of the shallow water equations on 512 x 512 cells, one float per
// cell and field: height and two momenta. Three steps, so that the fields are in the caches as they
// would be in a long run.
#include "measure.h"

constexpr int kSide = 512, kPitch = kSide + 2, kCells = kPitch * kPitch;
constexpr float kGravity = 9.81f, kStep = 0.01f;
constexpr int kSteps = 3, kStages = 4;

struct Fields {
  float *height, *east, *north;
};

__device__ int cell() {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x) + 1;
  const int y = int(blockIdx.y * blockDim.y + threadIdx.y) + 1;
  return y * kPitch + x;
}
__device__ float depth(float height) { return fmaxf(height, 1e-6f); }
__device__ float along(float height, float momentum) {
  return momentum * (momentum / depth(height)) + 0.5f * kGravity * height * height;
}
__device__ float across(float height, float momentum, float other) {
  return momentum * (other / depth(height));
}
__device__ float spread(const float* field, int at) {
  return field[at + 1] + field[at - 1] + field[at + kPitch] + field[at - kPitch] - 4 * field[at];
}

__global__ void water_slopes(const float* __restrict__ h, const float* __restrict__ p,
                             const float* __restrict__ q, float* __restrict__ dh,
                             float* __restrict__ dp, float* __restrict__ dq) {
  const int c = cell(), e = c + 1, w = c - 1, n = c + kPitch, s = c - kPitch;
  const float speed = sqrtf(kGravity * depth(h[c])) + fabsf(p[c] / depth(h[c])) +
                      fabsf(q[c] / depth(h[c]));
  const float smoothing = 0.02f * speed;
  const float mass = p[e] - p[w] + q[n] - q[s];
  const float east = along(h[e], p[e]) - along(h[w], p[w]) + across(h[n], p[n], q[n]) -
                     across(h[s], p[s], q[s]);
  const float north = across(h[e], p[e], q[e]) - across(h[w], p[w], q[w]) + along(h[n], q[n]) -
                      along(h[s], q[s]);
  dh[c] = smoothing * spread(h, c) - 0.5f * mass;
  dp[c] = smoothing * spread(p, c) - 0.5f * east;
  dq[c] = smoothing * spread(q, c) - 0.5f * north;
}
__global__ void water_stage(float* __restrict__ h, float* __restrict__ p, float* __restrict__ q,
                            const float* __restrict__ h0, const float* __restrict__ p0,
                            const float* __restrict__ q0, const float* __restrict__ dh,
                            const float* __restrict__ dp, const float* __restrict__ dq, float t) {
  const int c = cell();
  h[c] = h0[c] + t * dh[c];
  p[c] = p0[c] + t * dp[c];
  q[c] = q0[c] + t * dq[c];
}
__device__ float weighted(const float* a, const float* b, const float* c, const float* d, int at) {
  return a[at] + 2 * b[at] + 2 * c[at] + d[at];
}
__global__ void water_update(float* __restrict__ h, float* __restrict__ p, float* __restrict__ q,
                             const float* __restrict__ ah, const float* __restrict__ ap,
                             const float* __restrict__ aq, const float* __restrict__ bh,
                             const float* __restrict__ bp, const float* __restrict__ bq,
                             const float* __restrict__ ch, const float* __restrict__ cp,
                             const float* __restrict__ cq, const float* __restrict__ dh,
                             const float* __restrict__ dp, const float* __restrict__ dq, float t) {
  const int c = cell();
  h[c] += t * weighted(ah, bh, ch, dh, c);
  p[c] += t * weighted(ap, bp, cp, dp, c);
  q[c] += t * weighted(aq, bq, cq, dq, c);
}
__device__ void mirror(float* h, float* same, float* turned, int to, int from) {
  h[to] = h[from];
  same[to] = same[from];
  turned[to] = -turned[from];
}
__global__ void water_edges(float* h, float* p, float* q) {
  const int at = int(blockIdx.x * blockDim.x + threadIdx.x) + 1;
  if (at > kSide) return;
  const int row = at * kPitch, top = (kSide + 1) * kPitch;
  mirror(h, q, p, row, row + 1);
  mirror(h, q, p, row + kSide + 1, row + kSide);
  mirror(h, p, q, at, at + kPitch);
  mirror(h, p, q, top + at, top + at - kPitch);
}
__global__ void prepare_still_water(float* field) {
  const int at = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < kCells) field[at] = 1.0f;
}

Fields fields() {
  Fields made;
  for (float** field : {&made.height, &made.east, &made.north}) {
    *field = device_array<float>(kCells);
    prepare_still_water<<<kCells / 256 + 1, 256>>>(*field);
  }
  return made;
}

int main() {
  const Fields now = fields(), next = fields();
  Fields k[kStages];
  for (Fields& slopes : k) slopes = fields();
  const dim3 group(16, 16), groups(kSide / 16, kSide / 16);
  for (int step = 0; step < kSteps; ++step) {
    for (int stage = 0; stage < kStages; ++stage) {
      const Fields& y = stage == 0 ? now : next;
      // Only launches of the first stage are compared.
      const auto named = [&](const char* name) { return stage == 0 ? name : "later_stage"; };
      water_edges<<<2, 256>>>(y.height, y.east, y.north);
      launched(named("edges"), 0);
      water_slopes<<<groups, group>>>(y.height, y.east, y.north, k[stage].height, k[stage].east,
                                      k[stage].north);
      launched(named("slopes"), 0);
      if (stage + 1 == kStages) break;
      water_stage<<<groups, group>>>(next.height, next.east, next.north, now.height, now.east,
                                     now.north, k[stage].height, k[stage].east, k[stage].north,
                                     kStep);
      launched(named("stage"), 0);
    }
    water_update<<<groups, group>>>(now.height, now.east, now.north, k[0].height, k[0].east,
                                    k[0].north, k[1].height, k[1].east, k[1].north, k[2].height,
                                    k[2].east, k[2].north, k[3].height, k[3].east, k[3].north,
                                    kStep);
    launched("update", 0);
  }
  require(host_copy(now.height + kPitch * 256 + 256, 1)[0] > 0, "there is water");
}
