__global__ void forces(const float4* body, float4* force, int n, float soften) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 me = body[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
#pragma unroll 8
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
