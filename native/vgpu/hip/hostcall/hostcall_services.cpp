#include "hip/hostcall/hostcall_services.h"

#include <hsa/hsa_ext_amd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "hip/core/runtime.h"
#include "hip/hostcall/hostcall_buffer.h"
#include "hip/hostcall/hostcall_messages.h"
#include "vrocm/trace.h"

namespace vgpu::hip {
namespace {

enum Service : uint32_t { kFunctionCall = 1, kPrintf = 2, kDeviceMemory = 3 };

struct State {
  std::mutex mutex;
  std::map<HostcallBuffer*, Device*> buffers;
  HostcallMessages messages;
};

State& state() {
  static State* instance = new State();
  return *instance;
}

[[noreturn]] void refuse(uint32_t service) {
  std::fflush(stdout);
  std::fprintf(stderr,
               "virtual ROCm: a kernel called the host for service %u, which is not provided "
               "(1 host function, 2 printf, 3 device memory are)\n",
               service);
  std::abort();
}

// {address to free or 0, bytes to allocate}; answers the address, 0 when there is no memory.
void device_memory(Device& device, uint64_t* words) {
  void* memory = reinterpret_cast<void*>(words[0]);
  if (memory) {
    hsa_amd_memory_pool_free(memory);
    return;
  }
  hsa_amd_memory_pool_allocate(device.coarse, words[1], 0, &memory);
  words[0] = reinterpret_cast<uint64_t>(memory);
}

// {function, its arguments}; the function writes two words.
void function_call(uint64_t* words) {
  uint64_t results[2] = {0, 0};
  reinterpret_cast<void (*)(uint64_t*, const uint64_t*)>(words[0])(results, words + 1);
  words[0] = results[0];
  words[1] = results[1];
}

void answer(State& own, Device& device, uint32_t service, uint64_t* words) {
  switch (service) {
    case kFunctionCall: return function_call(words);
    case kPrintf: return own.messages.add(words);
    case kDeviceMemory: return device_memory(device, words);
    default: refuse(service);
  }
}

// All buffers: the message does not say which one, and looking at an empty one is cheap. A wave
// finds its packet answered because its own message comes after the packet.
void on_message(uint32_t) {
  State& own = state();
  std::lock_guard<std::mutex> hold(own.mutex);
  for (auto& [buffer, device] : own.buffers)
    buffer->serve([&own, to = device](uint32_t service, uint64_t* words) {
      answer(own, *to, service, words);
    });
}

}  // namespace

void watch_hostcalls(HostcallBuffer* buffer, Device& device) {
  std::lock_guard<std::mutex> hold(state().mutex);
  state().buffers[buffer] = &device;
  vrocm_set_message_handler(on_message);
}

void unwatch_hostcalls(HostcallBuffer* buffer) {
  std::lock_guard<std::mutex> hold(state().mutex);
  state().buffers.erase(buffer);
}

}  // namespace vgpu::hip
