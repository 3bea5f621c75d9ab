// Rows of the error table: a call that must fail, the code it must fail with, and who says so.
// Every row also checks that hipGetLastError hands the same code out, once.
#pragma once

#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <cstdio>

// Who says which code a call fails with.
constexpr const char* kHeader = "comments of hip_runtime_api.h";
constexpr const char* kTests = "negative cases of ROCm's hip-tests";
constexpr const char* kClr = "ROCm's runtime, clr";
constexpr const char* kHip7 = "changes of the HIP API in 7.0";

struct Tally {
  int rows = 0, wrong = 0;
};
inline Tally tally;

template <class Call>
void check_row(const char* function, const char* arguments, hipError_t expected,
               const char* source, Call call) {
  ++tally.rows;
  (void)hipGetLastError();
  std::fprintf(stderr, "%s(%s)\n", function, arguments);   // the last line names a row that crashes
  const hipError_t got = call();
  const hipError_t last = hipGetLastError();
  if (got == expected && (last == expected || expected == hipErrorNotReady)) return;
  ++tally.wrong;
  std::printf("%s(%s) gave %s (last error %s), not %s, says: %s\n", function, arguments,
              hipGetErrorName(got), hipGetErrorName(last), hipGetErrorName(expected), source);
}

#define FAILS(function, expected, source, ...)                        \
  check_row(#function, #__VA_ARGS__, hipError##expected, source,      \
            [&]() -> hipError_t { return function(__VA_ARGS__); })

// Handles that are none.
template <class T>
T no_handle() {
  static long long words[8];
  return reinterpret_cast<T>(words);
}

// What the rows use.
struct Things {
  void* device = nullptr;            // 4096 bytes
  void* other = nullptr;             // 4096 bytes
  void* pinned = nullptr;            // 4096 bytes
  void* managed = nullptr;           // 4096 bytes
  char host[4096];                   // the program's own
  hipStream_t stream = nullptr, gone_stream = nullptr;
  hipEvent_t event = nullptr, gone_event = nullptr;
  hipModule_t module = nullptr, gone_module = nullptr;
  hipFunction_t function = nullptr;  // takes one pointer
  hipArray_t array = nullptr;        // 16 x 4 floats
};

void device_rows(Things& t);
void memory_rows(Things& t);
void copy_rows(Things& t);
void array_rows(Things& t);
void stream_rows(Things& t);
void module_rows(Things& t);
void graph_rows(Things& t);
void graph_node_rows(Things& t);
void capture_rows(Things& t);
