#include "device_services.h"

#include <hsa/hsa_ext_amd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "module.h"
#include "runtime.h"

namespace vgpu::hip {
namespace {

constexpr size_t kPrintfBytes = 1 << 20;       // HIP's default FIFO
constexpr size_t kHeapBytes = 128 << 20;

struct PrintfBuffer {
  uint32_t used;
  uint32_t room;
  uint8_t records[1];
};

struct Services {
  std::mutex mutex;
  std::map<const Stream*, PrintfBuffer*> printf_buffers;
  std::map<const Device*, uint64_t*> heaps;
};

Services& services() {
  static Services* instance = new Services();
  return *instance;
}

void* fine_memory(Device& device, size_t bytes) {
  void* memory = nullptr;
  hsa_amd_memory_pool_allocate(Runtime::get().host_fine(), bytes, 0, &memory);
  if (memory) hsa_amd_agents_allow_access(1, &device.agent, nullptr, memory);
  return memory;
}

PrintfBuffer* printf_buffer(Stream& stream) {
  std::lock_guard<std::mutex> hold(services().mutex);
  PrintfBuffer*& buffer = services().printf_buffers[&stream];
  if (!buffer) {
    buffer = static_cast<PrintfBuffer*>(fine_memory(stream.device(), kPrintfBytes));
    if (buffer) {
      buffer->used = 0;
      buffer->room = static_cast<uint32_t>(kPrintfBytes - 8);
    }
  }
  return buffer;
}

uint64_t* heap(Device& device) {
  std::lock_guard<std::mutex> hold(services().mutex);
  uint64_t*& memory = services().heaps[&device];
  if (!memory) {
    memory = static_cast<uint64_t*>(fine_memory(device, kHeapBytes));
    if (memory) memory[0] = kHeapBytes;  // the rest of the header is zero, as fresh memory is
  }
  return memory;
}

void print_buffer(PrintfBuffer& buffer, const PrintfFormats& formats) {
  if (buffer.used == 0) return;
  for (const PrintedText& printed : read_records(buffer.records, buffer.used, formats))
    std::fwrite(printed.text.data(), 1, printed.text.size(),
                printed.to_stderr ? stderr : stdout);
  std::fflush(stdout);
  buffer.used = 0;
}

}  // namespace

uint64_t service_argument(const std::string& kind, const Function&, Stream& stream) {
  if (kind == "hidden_printf_buffer") return reinterpret_cast<uint64_t>(printf_buffer(stream));
  if (kind == "hidden_heap_v1") return reinterpret_cast<uint64_t>(heap(stream.device()));
  return 0;
}

void finish_services(const Function& function, Stream& stream) {
  PrintfBuffer* buffer = nullptr;
  {
    std::lock_guard<std::mutex> hold(services().mutex);
    auto known = services().printf_buffers.find(&stream);
    if (known != services().printf_buffers.end()) buffer = known->second;
  }
  if (buffer) print_buffer(*buffer, function.module->printf_formats());
}

}  // namespace vgpu::hip
