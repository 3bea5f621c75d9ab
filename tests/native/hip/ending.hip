// How programs end: what kernels print, assertions, faults, work still queued, forks.
#include "cases.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <csignal>

__global__ void say(int number) { printf("number %d, %s, %5.2f|\n", number, "text", 2.5); }
__global__ void check_values(const int* values) {
  printf("before\n");
  assert(values[threadIdx.x] < 3);
}
__global__ void stray(int* values) { values[size_t{1} << 40] = 1; }
__global__ void clear(int* values, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = 0;
}
__global__ void allocate_inside(int* out) {
  int* memory = static_cast<int*>(malloc(sizeof(int) * 4));
  memory[3] = threadIdx.x;
  out[threadIdx.x] = memory[3];
  free(memory);
}

__global__ void stir(unsigned* out, int rounds) {
  unsigned value = threadIdx.x;
  for (int i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

CASE(many_launches) {
  unsigned* out;
  OK(hipMalloc(&out, 200 * 256 * sizeof(unsigned)));
  for (int launch = 0; launch < 12; ++launch) stir<<<200, 256>>>(out, 1000);
  OK(hipDeviceSynchronize());
}

CASE(printf_text) {
  say<<<1, 1>>>(7);
  say<<<1, 1>>>(-8);
  OK(hipDeviceSynchronize());
  std::printf("host\n");
}

CASE(work_left_at_exit_is_finished) { say<<<1, 1>>>(1); }

CASE(a_wait_that_never_ends_does_not_hold_the_exit) {
  static unsigned gate = 0;
  OK(hipHostRegister(&gate, sizeof gate, 0));
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  OK(hipStreamWaitValue32(stream, &gate, 1, hipStreamWaitValueEq, 0xffffffff));
}

CASE(assertion) {
  int* values = on_device<int>({1, 2, 3, 4});
  check_values<<<1, 4>>>(values);
  OK(hipDeviceSynchronize());
  std::printf("not reached\n");
}

CASE(an_assertion_whose_abort_the_program_handles) {
  std::signal(SIGABRT, [](int) {
    std::printf("handled\n");
    std::exit(3);
  });
  case_assertion();
}

CASE(memory_fault) {
  int* values = on_device<int>({1});
  stray<<<1, 1>>>(values);
  OK(hipDeviceSynchronize());
  std::printf("not reached\n");
}

CASE(clearing_past_the_end) {
  constexpr int kCount = 16 * 1024;
  int* values = on_device(std::vector<int>(kCount, 1));
  clear<<<1, 64>>>(values, kCount);  // now the queue has its memory, too
  OK(hipDeviceSynchronize());
  clear<<<1, 64>>>(values, 8 * kCount);
  OK(hipDeviceSynchronize());
  std::printf("not reached\n");
}

CASE(malloc_on_the_device) {
  int* out = on_device(std::vector<int>(64, -1));
  allocate_inside<<<1, 64>>>(out);
  std::vector<int> back = on_host(out, 64);
  for (int i = 0; i < 64; ++i) CHECK(back[i] == i);
}

CASE(a_forked_child_has_no_device) {
  say<<<1, 1>>>(1);
  OK(hipDeviceSynchronize());
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    void* memory;
    std::exit(hipMalloc(&memory, 64) == hipErrorNotInitialized ? 0 : 1);
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  say<<<1, 1>>>(2);
  OK(hipDeviceSynchronize());
}

CASE(a_child_forked_before_the_first_call_has_its_own_device) {
  pid_t child = fork();
  say<<<1, 1>>>(child == 0 ? 1 : 2);
  OK(hipDeviceSynchronize());
  std::fflush(stdout);
  if (child == 0) std::exit(0);
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}
