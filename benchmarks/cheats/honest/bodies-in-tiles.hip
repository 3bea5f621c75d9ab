__global__ void forces(const float4* body, float4* force, int n, float soften) {
  __shared__ float4 tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = i < n ? body[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  const auto add = [&](float4 other) {
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float square = dx * dx + dy * dy + dz * dz + soften;
    const float inverse = 1.0f / sqrtf(square);
    const float strength = other.w * inverse * inverse * inverse;
    fx += strength * dx;
    fy += strength * dy;
    fz += strength * dz;
  };
  for (int first = 0; first < n; first += 64) {
    for (int t = threadIdx.x; t < 64 && first + t < n; t += blockDim.x) tile[t] = body[first + t];
    __syncthreads();
    const int count = min(64, n - first);
    for (int j = 0; j < count; ++j) add(tile[j]);
    __syncthreads();
  }
  if (i < n) force[i] = make_float4(fx, fy, fz, me.w);
}
