// The process-wide state of the HIP runtime: devices with their memory pools and streams.
#pragma once

#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "hip/core/hardware_queues.h"
#include "hip/core/stream.h"

namespace vgpu::hip {

struct Device {
  int index = 0;
  hsa_agent_t agent{0};
  hsa_amd_memory_pool_t coarse{0}, fine{0};
  size_t memory_bytes = 0;
  std::atomic<size_t> used_bytes{0};
  std::string name;

  // Guards the order in which work of different streams is submitted: the rules of the legacy
  // default stream look at all of them.
  std::mutex order;
  std::unique_ptr<Stream> default_stream;
  std::set<Stream*> streams;  // all but the default one
  HardwareQueues hardware_queues;
};

class Runtime {
 public:
  // Starts HSA on first use. The object is never destroyed: worker threads may outlive main.
  static Runtime& get();

  hipError_t status() const { return status_; }  // hipErrorNoDevice without a GPU agent
  int device_count() const { return static_cast<int>(devices_.size()); }
  Device& device(int index) { return *devices_[index]; }
  Device& current();  // of this thread
  hipError_t set_current(int index);
  int current_index() const;

  hsa_agent_t cpu() const { return cpu_; }
  hsa_amd_memory_pool_t host_coarse() const { return host_coarse_; }
  hsa_amd_memory_pool_t host_fine() const { return host_fine_; }
  hsa_amd_memory_pool_t kernarg() const { return kernarg_; }

  // In the child of a fork: the threads that run the devices are not there.
  void forget_devices() { status_ = hipErrorNotInitialized; }

  Stream* create_stream(unsigned flags, int priority);
  void destroy_stream(Stream* stream);
  bool knows(const Stream* stream);
  Stream& thread_stream();  // hipStreamPerThread
  void synchronize_device(Device& device);
  void reset_device(Device& device);  // frees what the program allocated

 private:
  Runtime();
  void find_agents();
  void keep_visible();
  void find_pools(Device& device);

  hipError_t status_ = hipSuccess;
  std::vector<std::unique_ptr<Device>> devices_;
  hsa_agent_t cpu_{0};
  hsa_amd_memory_pool_t host_coarse_{0}, host_fine_{0}, kernarg_{0};
  std::atomic<uint64_t> next_stream_id_{1};
};

}  // namespace vgpu::hip
