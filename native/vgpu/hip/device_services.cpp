#include "device_services.h"

#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "module.h"
#include "runtime.h"

namespace vgpu::hip {
namespace {

constexpr size_t kSmallestPrintf = 4096, kSmallestHeap = 1 << 20;

struct Limits {
  size_t stack = 1024;
  size_t printf_bytes = 1 << 20;       // HIP's default FIFO
  size_t heap_bytes = 128 << 20;
  size_t scratch = 0;
};

struct PrintfBuffer {
  uint32_t used;
  uint32_t room;
  uint8_t records[1];
};

struct StreamPrintf {
  PrintfBuffer* buffer = nullptr;
  const PrintfFormats* formats = nullptr;   // of the kernel that runs
};

struct Services {
  std::mutex mutex;
  Limits limits;
  std::map<const Stream*, StreamPrintf> printf_buffers;
  std::map<const Device*, uint64_t*> heaps;
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
  StreamPrintf& own = services().printf_buffers[&stream];
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

uint64_t* heap(Device& device) {
  std::lock_guard<std::mutex> hold(services().mutex);
  uint64_t*& memory = services().heaps[&device];
  if (!memory) {
    const size_t bytes = std::max(services().limits.heap_bytes, kSmallestHeap);
    memory = static_cast<uint64_t*>(fine_memory(device, bytes));
    if (memory) memory[0] = bytes;  // the rest of the header is zero, as fresh memory is
  }
  return memory;
}

void print_buffer(const StreamPrintf& own) {
  if (!own.buffer || own.buffer->used == 0) return;
  PrintfBuffer& buffer = *own.buffer;
  const size_t used = std::min(buffer.used, buffer.room);
  for (const PrintedText& printed : read_records(buffer.records, used, *own.formats))
    std::fwrite(printed.text.data(), 1, printed.text.size(),
                printed.to_stderr ? stderr : stdout);
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
  if (kind == "hidden_heap_v1") return reinterpret_cast<uint64_t>(heap(stream.device()));
  return 0;
}

void finish_services(Stream& stream) {
  StreamPrintf own;
  {
    std::lock_guard<std::mutex> hold(services().mutex);
    auto known = services().printf_buffers.find(&stream);
    if (known != services().printf_buffers.end()) own = known->second;
  }
  print_buffer(own);
}

void print_unfinished() {
  std::lock_guard<std::mutex> hold(services().mutex);
  for (auto& [stream, own] : services().printf_buffers) print_buffer(own);
}

}  // namespace vgpu::hip
