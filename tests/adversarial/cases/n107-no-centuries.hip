__global__ void days_of(const int* years, int* days, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int year = years[i];
  days[i] = 365 + (year % 4 == 0);
}
