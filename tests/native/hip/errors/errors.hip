// The error table: every HIP function that can fail, with calls that must.
#include "errors.h"

#include <cstdlib>

#define DO(call)                                                                        \
  do {                                                                                  \
    if ((call) != hipSuccess) {                                                         \
      std::printf("%s failed: %s\n", #call, hipGetErrorName(hipPeekAtLastError()));     \
      return 2;                                                                         \
    }                                                                                   \
  } while (0)

__device__ int symbol[4];
__global__ void kernel(int* out) { out[threadIdx.x] = symbol[threadIdx.x]; }

// Destroyed handles. New objects may get the same addresses: to be called after making some.
void make_gone_handles(Things& t) {
  (void)hipStreamCreate(&t.gone_stream);
  (void)hipStreamDestroy(t.gone_stream);
  (void)hipEventCreate(&t.gone_event);
  (void)hipEventDestroy(t.gone_event);
  (void)hipModuleLoad(&t.gone_module, std::getenv("HIP_TEST_MODULE"));
  (void)hipModuleUnload(t.gone_module);
}

#include "errors_device.h"
#include "errors_memory.h"
#include "errors_copies.h"
#include "errors_arrays.h"
#include "errors_streams.h"
#include "errors_modules.h"
#include "errors_graphs.h"
#include "errors_nodes.h"
#include "errors_captures.h"

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Things t;
  DO(hipMalloc(&t.device, 4096));
  DO(hipMalloc(&t.other, 4096));
  DO(hipHostMalloc(&t.pinned, 4096, 0));
  DO(hipMallocManaged(&t.managed, 4096));
  DO(hipStreamCreate(&t.stream));
  DO(hipEventCreate(&t.event));
  DO(hipModuleLoad(&t.module, std::getenv("HIP_TEST_MODULE")));
  DO(hipModuleGetFunction(&t.function, t.module, "twice"));
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  DO(hipMallocArray(&t.array, &format, 16, 4));
  DO(hipStreamQuery(hipStreamPerThread));
  make_gone_handles(t);
  device_rows(t);
  memory_rows(t);
  copy_rows(t);
  array_rows(t);
  stream_rows(t);
  module_rows(t);
  graph_rows(t);
  graph_node_rows(t);
  capture_rows(t);
  std::printf("%d rows, %d wrong\n", tally.rows, tally.wrong);
  return tally.wrong ? 1 : 0;
}
