// Test cases of the HSA runtime: each runs in its own process (hsa_tests NAME).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hsa/hsa.h"
#include "hsa/hsa_api_trace.h"
#include "hsa/hsa_ext_amd.h"
#include "hsa/hsa_ven_amd_loader.h"

std::map<std::string, std::function<void()>>& hsa_test_cases();

struct HsaTestCase {
  HsaTestCase(const char* name, std::function<void()> body) { hsa_test_cases()[name] = body; }
};

#define HSA_TEST(name)                               \
  static void name();                                \
  static const HsaTestCase case_##name(#name, name); \
  static void name()

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

#define CHECK_EQ(actual, expected)                                                            \
  do {                                                                                        \
    auto actual_value = (actual);                                                             \
    auto expected_value = (expected);                                                         \
    if (!(actual_value == static_cast<decltype(actual_value)>(expected_value))) {             \
      std::fprintf(stderr, "%s:%d: %s is %lld (0x%llx), expected %lld\n", __FILE__, __LINE__, \
                   #actual, (long long)actual_value, (long long)actual_value,                 \
                   (long long)expected_value);                                                \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (false)

#define CHECK_OK(call) CHECK_EQ(call, HSA_STATUS_SUCCESS)

// An open runtime with its agents and the pools that most tests want.
struct Session {
  hsa_agent_t cpu{}, gpu{};
  std::vector<hsa_agent_t> agents;
  hsa_amd_memory_pool_t fine{}, kernarg{}, device{};

  Session();
  ~Session();
  void* allocate(hsa_amd_memory_pool_t pool, size_t bytes);  // accessible to the GPU
  hsa_queue_t* queue(uint32_t size = 64);
};

template <typename T, typename Attribute>
T agent_info(hsa_agent_t agent, Attribute attribute) {
  T value{};
  CHECK_OK(hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), &value));
  return value;
}

hsa_signal_t make_signal(int64_t value);
void wait_until_zero(hsa_signal_t signal);

// Writes a packet with its header last and rings the doorbell; returns its index.
uint64_t enqueue(hsa_queue_t* queue, const void* packet);

hsa_barrier_and_packet_t barrier_and(std::vector<hsa_signal_t> dependencies,
                                     hsa_signal_t completion, bool barrier_bit = true);

// The code object that the test driver compiled (HSA_TEST_CODE).
struct LoadedKernel {
  hsa_executable_t executable;
  hsa_loaded_code_object_t code_object;
  uint64_t object;
  uint32_t kernarg_bytes, group_bytes, private_bytes;
};
std::vector<char> test_code();
LoadedKernel load_kernel(const Session& session, const char* symbol);
hsa_kernel_dispatch_packet_t dispatch_packet(const LoadedKernel& kernel, uint32_t grid,
                                             uint16_t workgroup, void* kernarg,
                                             hsa_signal_t completion);
