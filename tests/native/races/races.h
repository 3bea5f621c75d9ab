// Kernels by name for the race check. Every kernel gets two zeroed arrays of 65536 words; `program`
// runs all of its kernels in turn, `program name` one, and says which ones gave a wrong answer.
#pragma once

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr unsigned kWords = 65536;
using Kernel = void (*)(unsigned* data, unsigned* sync);
using Answer = bool (*)(const unsigned* data, const unsigned* sync);

struct Program {
  const char* name;
  Kernel kernel;
  unsigned groups, threads;
  Answer right;
};

inline std::vector<Program>& programs() {
  static std::vector<Program> all;
  return all;
}

struct AddProgram {
  explicit AddProgram(const Program& program) { programs().push_back(program); }
};

// `answer` is an expression over d and s, the arrays afterwards.
#define PROGRAM(name, groups, threads, answer)                                    \
  static AddProgram add_##name({#name, name, groups, threads,                     \
                                [](const unsigned* d, const unsigned* s) -> bool { \
                                  (void)d, (void)s;                               \
                                  return answer;                                  \
                                }});

// As without optimisation: every value lies on the stack, every address is flat.
#define UNOPTIMISED __attribute__((optnone, noinline))
#define TID threadIdx.x
#define GROUP blockIdx.x
#define GROUPS gridDim.x
#define ID (blockIdx.x * blockDim.x + threadIdx.x)

template <class Test>
bool all_of(unsigned count, Test test) {
  for (unsigned i = 0; i < count; ++i)
    if (!test(i)) return false;
  return true;
}

inline unsigned float_bits(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

template <class T>
T value_at(const unsigned* words) {
  T value;
  std::memcpy(&value, words, sizeof value);
  return value;
}

inline bool run(const Program& program, unsigned* data, unsigned* sync) {
  static std::vector<unsigned> d(kWords), s(kWords);
  const size_t bytes = kWords * sizeof(unsigned);
  if (hipMemset(data, 0, bytes) || hipMemset(sync, 0, bytes)) return false;
  void* arguments[] = {&data, &sync};
  if (hipLaunchCooperativeKernel(reinterpret_cast<const void*>(program.kernel), program.groups,
                                 program.threads, arguments, 0, nullptr) ||
      hipDeviceSynchronize())
    return false;
  if (hipMemcpy(d.data(), data, bytes, hipMemcpyDeviceToHost) ||
      hipMemcpy(s.data(), sync, bytes, hipMemcpyDeviceToHost))
    return false;
  return program.right(d.data(), s.data());
}

int main(int argc, char** argv) {
  unsigned *data, *sync;
  if (hipMalloc(&data, kWords * sizeof(unsigned)) || hipMalloc(&sync, kWords * sizeof(unsigned)))
    return 2;
  int wrong = 0;
  for (const Program& program : programs()) {
    if (argc > 1 && std::strcmp(argv[1], program.name) != 0) continue;
    const bool right = run(program, data, sync);
    std::printf("%s %s\n", program.name, right ? "right" : "wrong");
    wrong += !right;
  }
  return wrong ? 1 : 0;
}
