#include "hip/core/runtime.h"

#include <cstdlib>

#include "hip/core/clock.h"
#include "hip/core/graph_capture.h"
#include "hip/core/memory.h"
#include "hip/core/process_end.h"
#include "hip/device/visible_devices.h"
#include "hip/record/hsa_tracing.h"
#include "hip/record/recorder.h"

namespace vgpu::hip {
namespace {

thread_local int current_device = 0;

// A thread's own default stream, destroyed with the thread.
struct ThreadStream {
  Stream* stream = nullptr;
  ~ThreadStream() {
    if (stream) Runtime::get().destroy_stream(stream);
  }
};
thread_local ThreadStream thread_default;

hsa_status_t collect_agent(hsa_agent_t agent, void* data) {
  static_cast<std::vector<hsa_agent_t>*>(data)->push_back(agent);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t collect_pool(hsa_amd_memory_pool_t pool, void* data) {
  hsa_amd_segment_t segment;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (segment == HSA_AMD_SEGMENT_GLOBAL)
    static_cast<std::vector<hsa_amd_memory_pool_t>*>(data)->push_back(pool);
  return HSA_STATUS_SUCCESS;
}

std::vector<hsa_amd_memory_pool_t> global_pools(hsa_agent_t agent) {
  std::vector<hsa_amd_memory_pool_t> pools;
  hsa_amd_agent_iterate_memory_pools(agent, collect_pool, &pools);
  return pools;
}

uint32_t pool_flags(hsa_amd_memory_pool_t pool) {
  uint32_t flags = 0;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  return flags;
}

}  // namespace

Runtime& Runtime::get() {
  static Runtime* runtime = new Runtime();
  return *runtime;
}

Runtime::Runtime() {
  if (hsa_init() != HSA_STATUS_SUCCESS) {
    status_ = hipErrorNoDevice;
    return;
  }
  if (recording("hsa")) trace_hsa_calls();
  find_agents();
  keep_visible();
  if (devices_.empty()) status_ = hipErrorNoDevice;
  for (auto& device : devices_) {
    find_pools(*device);
    device->default_stream = std::make_unique<Stream>(*device, hipStreamDefault, 0, 0);
    record_stream(0, nullptr, device->index, hipStreamDefault, 0);
  }
  watch_process_end();
}

void Runtime::find_agents() {
  std::vector<hsa_agent_t> agents;
  hsa_iterate_agents(collect_agent, &agents);
  unsigned cpus = 0;
  for (hsa_agent_t agent : agents) {
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_CPU) {
      if (!cpu_.handle) cpu_ = agent;
      record_agent(agent, cpus++);
    } else if (type == HSA_DEVICE_TYPE_GPU) {
      record_agent(agent, static_cast<unsigned>(devices_.size()));
      auto device = std::make_unique<Device>();
      device->agent = agent;
      char name[64] = {};
      hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
      device->name = name;
      devices_.push_back(std::move(device));
    }
  }
  for (hsa_amd_memory_pool_t pool : global_pools(cpu_)) {
    uint32_t flags = pool_flags(pool);
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) kernarg_ = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) host_fine_ = pool;
    else host_coarse_ = pool;
  }
  if (!host_fine_.handle) host_fine_ = kernarg_;
  if (!host_coarse_.handle) host_coarse_ = host_fine_;
}

void Runtime::keep_visible() {
  std::vector<std::string> uuids;
  for (auto& device : devices_) {
    char uuid[64] = {};
    hsa_agent_get_info(device->agent, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_UUID), uuid);
    uuids.push_back(uuid);
  }
  const char* list = std::getenv("HIP_VISIBLE_DEVICES");
  if (!list) list = std::getenv("CUDA_VISIBLE_DEVICES");
  std::vector<std::unique_ptr<Device>> visible;
  for (size_t index : visible_devices(list, uuids)) {
    devices_[index]->index = static_cast<int>(visible.size());
    visible.push_back(std::move(devices_[index]));
  }
  devices_ = std::move(visible);
}

void Runtime::find_pools(Device& device) {
  for (hsa_amd_memory_pool_t pool : global_pools(device.agent)) {
    if (pool_flags(pool) & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) {
      device.coarse = pool;
      hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &device.memory_bytes);
    } else {
      device.fine = pool;
    }
  }
  if (!device.fine.handle) device.fine = device.coarse;
}

Device& Runtime::current() { return *devices_[current_device]; }

int Runtime::current_index() const { return current_device; }

hipError_t Runtime::set_current(int index) {
  if (index < 0 || index >= device_count()) return hipErrorInvalidDevice;
  current_device = index;
  return hipSuccess;
}

Stream* Runtime::create_stream(unsigned flags, int priority) {
  Device& device = current();
  auto* stream = new Stream(device, flags, priority, next_stream_id_++);
  std::lock_guard<std::mutex> hold(device.order);
  device.streams.insert(stream);
  record_stream(stream->id(), stream, device.index, flags, priority);
  return stream;
}

void Runtime::destroy_stream(Stream* stream) {
  abandon_capture(*stream);
  {
    std::lock_guard<std::mutex> hold(stream->device().order);
    stream->device().streams.erase(stream);
    stream->leave_hardware_queue();
  }
  delete stream;
}

bool Runtime::knows(const Stream* stream) {
  for (auto& device : devices_) {
    std::lock_guard<std::mutex> hold(device->order);
    if (device->streams.count(const_cast<Stream*>(stream))) return true;
  }
  return false;
}

Stream& Runtime::thread_stream() {
  if (!thread_default.stream) thread_default.stream = create_stream(hipStreamDefault, 0);
  return *thread_default.stream;
}

void Runtime::synchronize_device(Device& device) {
  std::vector<CompletionPtr> points;
  {
    std::lock_guard<std::mutex> hold(device.order);
    if (CompletionPtr point = device.default_stream->last()) points.push_back(point);
    for (Stream* stream : device.streams)
      if (CompletionPtr point = stream->last()) points.push_back(point);
  }
  for (const CompletionPtr& point : points) vrocm_host_advance_to(point->wait());
}

void Runtime::reset_device(Device& device) {
  synchronize_device(device);
  for (const Allocation& allocation : MemoryMap::get().of_device(device.index))
    (void)release_now(reinterpret_cast<void*>(allocation.base));
}

}  // namespace vgpu::hip
