__global__ void energies(const Particle* all, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Particle one = all[i];
  out[i] = one.x * one.x + one.y * one.y + one.z * one.z;
}
