__global__ void forces(const float4* body, float4* force, int n, float soften) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 me = body[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f, gx = 0.0f, gy = 0.0f, gz = 0.0f;
  const auto add = [&](float4 other, float& x, float& y, float& z) {
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float square = dx * dx + dy * dy + dz * dz + soften;
    const float inverse = 1.0f / sqrtf(square);
    const float strength = other.w * inverse * inverse * inverse;
    x += strength * dx;
    y += strength * dy;
    z += strength * dz;
  };
  int j = 0;
  for (; j + 1 < n; j += 2) {
    add(body[j], fx, fy, fz);
    add(body[j + 1], gx, gy, gz);
  }
  if (j < n) add(body[j], fx, fy, fz);
  force[i] = make_float4(fx + gx, fy + gy, fz + gz, me.w);
}
