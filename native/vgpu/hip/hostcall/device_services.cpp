#include "hip/core/device_services.h"

#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "hip/core/runtime.h"
#include "hip/hostcall/hostcall_buffer.h"
#include "hip/hostcall/hostcall_services.h"
#include "hip/module/module.h"
#include "hip/printf/printf_records.h"

namespace vgpu::hip {
namespace {

constexpr size_t kSmallestPrintf = 4096, kSmallestHeap = 1 << 20;
constexpr size_t kStockHeapBytes = 128 << 10;

struct Limits {
  size_t stack = 1024;
  size_t printf_bytes = 4 << 20;  // ROCm's default: 4 KiB for each thread of a full block
  size_t heap_bytes = 128 << 20;
  size_t scratch = 0;
};

struct PrintfBuffer {
  uint32_t used;
  uint32_t room;
  uint8_t records[1];
};

// Of one stream: kernels of others run at the same time.
struct StreamServices {
  PrintfBuffer* buffer = nullptr;
  const PrintfFormats* formats = nullptr;  // of the kernel that runs
  HostcallBuffer* hostcalls = nullptr;
};

struct Services {
  std::mutex mutex;
  Limits limits;
  std::map<const Stream*, StreamServices> streams;
  std::map<const Device*, uint8_t*> heaps;
};

Services& services() {
  static Services* instance = new Services();
  return *instance;
}

size_t* limit_slot(hipLimit_t which) {
  Limits& limits = services().limits;
  switch (which) {
    case hipLimitStackSize: return &limits.stack;
    case hipLimitPrintfFifoSize: return &limits.printf_bytes;
    case hipLimitMallocHeapSize: return &limits.heap_bytes;
    case hipExtLimitScratchCurrent: return &limits.scratch;
    default: return nullptr;
  }
}

void* fine_memory(Device& device, size_t bytes) {
  void* memory = nullptr;
  hsa_amd_memory_pool_allocate(Runtime::get().host_fine(), bytes, 0, &memory);
  if (memory) hsa_amd_agents_allow_access(1, &device.agent, nullptr, memory);
  return memory;
}

PrintfBuffer* printf_buffer(Stream& stream, const Function& function) {
  std::lock_guard<std::mutex> hold(services().mutex);
  StreamServices& own = services().streams[&stream];
  own.formats = &function.module->printf_formats();
  PrintfBuffer*& buffer = own.buffer;
  if (!buffer) {
    const size_t bytes = std::max(services().limits.printf_bytes, kSmallestPrintf);
    buffer = static_cast<PrintfBuffer*>(fine_memory(stream.device(), bytes));
    if (buffer) {
      buffer->used = 0;
      buffer->room = static_cast<uint32_t>(std::min<size_t>(bytes - 8, UINT32_MAX));
    }
  }
  return buffer;
}

// Every wave that the device can hold may be waiting for the host.
uint32_t most_waves(const Device& device) {
  uint32_t units = 0, waves = 0;
  const auto ask = [&device](hsa_amd_agent_info_t what, uint32_t& value) {
    hsa_agent_get_info(device.agent, static_cast<hsa_agent_info_t>(what), &value);
  };
  ask(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, units);
  ask(HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, waves);
  return units * waves;
}

HostcallBuffer* hostcall_buffer(Stream& stream) {
  std::lock_guard<std::mutex> hold(services().mutex);
  HostcallBuffer*& buffer = services().streams[&stream].hostcalls;
  if (!buffer) {
    const uint32_t packets = most_waves(stream.device());
    void* memory = fine_memory(stream.device(), HostcallBuffer::bytes_for(packets));
    if (!memory) return nullptr;
    buffer = HostcallBuffer::create_in(memory, packets);
    watch_hostcalls(buffer, stream.device());
  }
  return buffer;
}

// Two heaps: that of the stock device library, which starts as zeros and grows by hostcalls, and
// behind it that of ours (native/devicelib/heap.cl).
uint8_t* heap(Device& device) {
  std::lock_guard<std::mutex> hold(services().mutex);
  uint8_t*& memory = services().heaps[&device];
  if (!memory) {
    const uint64_t bytes = std::max(services().limits.heap_bytes, kSmallestHeap);
    memory = static_cast<uint8_t*>(fine_memory(device, kStockHeapBytes + bytes));
    // The rest of the header is zero, as fresh memory is.
    if (memory) std::memcpy(memory + kStockHeapBytes, &bytes, sizeof bytes);
  }
  return memory;
}

void print_buffer(const StreamServices& own) {
  if (!own.buffer || own.buffer->used == 0) return;
  PrintfBuffer& buffer = *own.buffer;
  const size_t used = std::min(buffer.used, buffer.room);
  for (const PrintedText& printed : read_records(buffer.records, used, *own.formats))
    std::fwrite(printed.text.data(), 1, printed.text.size(), printed.to_stderr ? stderr : stdout);
  std::fflush(stdout);
  buffer.used = 0;
}

}  // namespace

bool get_device_limit(hipLimit_t which, size_t* value) {
  std::lock_guard<std::mutex> hold(services().mutex);
  const size_t* slot = limit_slot(which);
  if (slot) *value = *slot;
  return slot;
}

bool set_device_limit(hipLimit_t which, size_t value) {
  std::lock_guard<std::mutex> hold(services().mutex);
  size_t* slot = limit_slot(which);
  if (slot) *slot = value;
  return slot;
}

uint64_t service_argument(const std::string& kind, const Function& function, Stream& stream) {
  if (kind == "hidden_printf_buffer")
    return reinterpret_cast<uint64_t>(printf_buffer(stream, function));
  if (kind == "hidden_hostcall_buffer") return reinterpret_cast<uint64_t>(hostcall_buffer(stream));
  if (kind == "hidden_heap_v1") return reinterpret_cast<uint64_t>(heap(stream.device()));
  return 0;
}

void finish_services(Stream& stream) {
  StreamServices own;
  {
    std::lock_guard<std::mutex> hold(services().mutex);
    auto known = services().streams.find(&stream);
    if (known != services().streams.end()) own = known->second;
  }
  print_buffer(own);
  if (own.hostcalls) std::fflush(stdout);
}

void release_services(const Stream& stream) {
  std::lock_guard<std::mutex> hold(services().mutex);
  auto known = services().streams.find(&stream);
  if (known == services().streams.end()) return;
  const StreamServices& own = known->second;
  if (own.buffer) hsa_amd_memory_pool_free(own.buffer);
  if (own.hostcalls) {
    unwatch_hostcalls(own.hostcalls);
    hsa_amd_memory_pool_free(own.hostcalls);
  }
  services().streams.erase(known);
}

void print_unfinished() {
  std::lock_guard<std::mutex> hold(services().mutex);
  for (auto& [stream, own] : services().streams) print_buffer(own);
}

}  // namespace vgpu::hip
