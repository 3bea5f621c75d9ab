// A program with a known list of calls, dispatches, copies and markers.
#include <hip/hip_runtime.h>
#include <roctracer/roctx.h>

__global__ void first(int* values) { values[threadIdx.x + blockIdx.x * blockDim.x] += 1; }
template <class T>
__global__ void second(T* values, T amount) { values[threadIdx.x] += amount; }
// Never launched; its name has types that a host's C++ library may not know.
template <class T>
__global__ void narrow(T* values, __bf16* others) { values[0] = values[1] + T(float(others[0])); }
template __global__ void narrow<_Float16>(_Float16* values, __bf16* others);

int main() {
  int* values = nullptr;
  hipStream_t stream;
  roctxRangePush("setup \"quoted\"");
  (void)hipMalloc(&values, 4096);
  (void)hipStreamCreate(&stream);
  roctxRangePop();
  (void)hipMemsetAsync(values, 0, 4096, stream);
  first<<<4, 256, 0, stream>>>(values);
  roctxMark("between");
  second<int><<<1, 64, 128, stream>>>(values, 3);
  int back[64];
  (void)hipMemcpyAsync(back, values, sizeof back, hipMemcpyDeviceToHost, stream);
  (void)hipStreamSynchronize(stream);
  roctxRangeStart("left open");
  (void)hipFree(values);
  return back[5] == 4 ? 0 : 1;
}
