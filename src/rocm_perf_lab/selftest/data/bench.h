// What the programs share: PROGRAM OUTPUT REPEATS NAME=PARAMETER...
// runs the named rows, each REPEATS times after one launch that warms up, and writes a line to OUTPUT
// for each time: the row, and how many launches of kernels named bench_* it took. The profiler that
// records the launches has their times. Kernels named prepare_* belong to nothing. Every result is
// compared with the host's; a wrong one ends the program with exit code 1 and the name of the row.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                               \
  do {                                                                            \
    hipError_t status_ = (call);                                                  \
    if (status_ != hipSuccess) {                                                  \
      std::fprintf(stderr, "error: %s: %s\n", #call, hipGetErrorString(status_)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (false)

class Bench {
 public:
  Bench(const char* output, int repeats) : output_(std::fopen(output, "w")), repeats_(repeats) {
    if (!output_) std::perror(output), std::exit(1);
  }

  void begin(const std::string& row) { row_ = row; }

  // `launch` launches `count` kernels named bench_*.
  void measure(const std::function<void()>& launch, int count = 1) {
    for (int i = 0; i <= repeats_; ++i) {
      launch();
      CHECK(hipGetLastError());
      CHECK(hipDeviceSynchronize());
      std::fprintf(output_, "%s %d\n", row_.c_str(), count);
    }
    std::fflush(output_);
  }

  int launches() const { return repeats_ + 1; }

  void require(bool right) const {
    if (right) return;
    std::fprintf(stderr, "error: wrong result of %s\n", row_.c_str());
    std::exit(1);
  }

 private:
  std::FILE* output_;
  int repeats_;
  std::string row_;
};

#include "arrays.h"

using Row = std::function<void(Bench&, size_t parameter)>;
struct Named {
  const char* name;
  Row run;
};

// Keeps the device awake until its clock is up. A sleeping wave costs a simulation next to nothing.
static __global__ void prepare_clock(int turns) {
  for (int turn = 0; turn < turns; ++turn) __builtin_amdgcn_s_sleep(127);  // 64 x 127 cycles
}

inline int run_rows(int count, char** words, const std::vector<Named>& rows) {
  if (count < 4) return std::fprintf(stderr, "error: PROGRAM OUTPUT REPEATS NAME=PARAMETER...\n"), 2;
  Bench bench(words[1], std::atoi(words[2]));
  for (int i = 0; i < 3; ++i) prepare_clock<<<8, 64>>>(4096);  // some 16 ms each
  CHECK(hipDeviceSynchronize());
  for (int i = 3; i < count; ++i) {
    const std::string word = words[i], name = word.substr(0, word.find('='));
    const Named* found = nullptr;
    for (const Named& row : rows)
      if (name == row.name) found = &row;
    if (!found || name == word) return std::fprintf(stderr, "error: no row %s\n", words[i]), 2;
    bench.begin(word);
    found->run(bench, std::strtoull(word.c_str() + name.size() + 1, nullptr, 10));
  }
  return 0;
}
