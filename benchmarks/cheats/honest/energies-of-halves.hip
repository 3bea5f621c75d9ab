__global__ void energies(const Particle* all, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Particle* one = all + i;
  const float square = one->x * one->x + one->y * one->y + one->z * one->z;
  out[i] = square * (one->kind == 1 ? 0.5f : 1.0f);
}
