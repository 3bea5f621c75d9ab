extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void twice(float* out,
                                                                                     int n) {
#ifdef NEVER_DEFINED
  out[0] = '}';
#else
  const int i = INDEX;
#endif
  if (i < n) out[i] *= 4.0f;
  else BRACES
}
