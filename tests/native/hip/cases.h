// Test cases by name: `program name` runs one and exits 0 when every CHECK held.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& all_cases() {
  static std::vector<Case> cases;
  return cases;
}

struct AddCase {
  AddCase(const char* name, void (*run)()) { all_cases().push_back({name, run}); }
};

#define CASE(name)                               \
  static void case_##name();                     \
  static AddCase add_##name(#name, case_##name); \
  static void case_##name()

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);        \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

#define EXPECT(expected, call)                                                              \
  do {                                                                                      \
    hipError_t got_ = (call);                                                               \
    if (got_ != (expected)) {                                                               \
      std::fprintf(stderr, "%s:%d: %s gave %s, not %s\n", __FILE__, __LINE__, #call,        \
                   hipGetErrorName(got_), hipGetErrorName(expected));                       \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

#define OK(call) EXPECT(hipSuccess, call)

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  OK(hipMalloc(&memory, values.size() * sizeof(T)));
  OK(hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  return memory;
}

template <class T>
std::vector<T> on_host(const T* memory, size_t count) {
  std::vector<T> values(count);
  OK(hipMemcpy(values.data(), memory, count * sizeof(T), hipMemcpyDeviceToHost));
  return values;
}

int main(int count, char** words) {
  for (const Case& known : all_cases())
    if (count > 1 && std::strcmp(known.name, words[1]) == 0) {
      known.run();
      return 0;
    }
  std::fprintf(stderr, "no such case\n");
  return 2;
}
