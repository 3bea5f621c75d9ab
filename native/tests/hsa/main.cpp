// hsa_tests --list | NAME, and the helpers of hsa_check.h.
#include <cstring>
#include <fstream>
#include <iterator>

#include "check.h"

std::map<std::string, std::function<void()>>& hsa_test_cases() {
  static std::map<std::string, std::function<void()>> cases;
  return cases;
}

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto& entry : hsa_test_cases()) std::printf("%s\n", entry.first.c_str());
    return 0;
  }
  const auto found = argc == 2 ? hsa_test_cases().find(argv[1]) : hsa_test_cases().end();
  if (found == hsa_test_cases().end()) {
    std::fprintf(stderr, "usage: hsa_tests --list | NAME\n");
    return 2;
  }
  found->second();
  return 0;
}

static hsa_amd_memory_pool_t find_pool(hsa_agent_t agent, uint32_t flags) {
  struct Search {
    uint32_t flags;
    hsa_amd_memory_pool_t found{};
  } search{flags, {}};
  hsa_amd_agent_iterate_memory_pools(
      agent,
      [](hsa_amd_memory_pool_t pool, void* data) {
        auto* wanted = static_cast<Search*>(data);
        hsa_amd_segment_t segment;
        uint32_t flags = 0;
        CHECK_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
        CHECK_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
        if (segment != HSA_AMD_SEGMENT_GLOBAL || flags != wanted->flags) return HSA_STATUS_SUCCESS;
        wanted->found = pool;
        return HSA_STATUS_INFO_BREAK;
      },
      &search);
  CHECK(search.found.handle != 0);
  return search.found;
}

Session::Session() {
  CHECK_OK(hsa_init());
  CHECK_OK(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        static_cast<std::vector<hsa_agent_t>*>(data)->push_back(agent);
        return HSA_STATUS_SUCCESS;
      },
      &agents));
  for (hsa_agent_t agent : agents) {
    const auto type = agent_info<hsa_device_type_t>(agent, HSA_AGENT_INFO_DEVICE);
    hsa_agent_t& slot = type == HSA_DEVICE_TYPE_GPU ? gpu : cpu;
    if (!slot.handle) slot = agent;
  }
  constexpr uint32_t kFine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  fine = find_pool(cpu, kFine);
  kernarg = find_pool(cpu, kFine | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
  device = find_pool(gpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
}

Session::~Session() { CHECK_OK(hsa_shut_down()); }

void* Session::allocate(hsa_amd_memory_pool_t pool, size_t bytes) {
  void* pointer = nullptr;
  CHECK_OK(hsa_amd_memory_pool_allocate(pool, bytes, 0, &pointer));
  CHECK_OK(hsa_amd_agents_allow_access(1, &gpu, nullptr, pointer));
  return pointer;
}

hsa_queue_t* Session::queue(uint32_t size) {
  hsa_queue_t* created = nullptr;
  CHECK_OK(hsa_queue_create(gpu, size, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX,
                            UINT32_MAX, &created));
  return created;
}

hsa_signal_t make_signal(int64_t value) {
  hsa_signal_t signal{};
  CHECK_OK(hsa_signal_create(value, 0, nullptr, &signal));
  return signal;
}

void wait_until_zero(hsa_signal_t signal) {
  CHECK_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                     HSA_WAIT_STATE_BLOCKED),
           0);
}

uint64_t enqueue(hsa_queue_t* queue, const void* packet) {
  const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
  }
  auto* slot = static_cast<uint8_t*>(queue->base_address) + (index & (queue->size - 1)) * 64;
  std::memcpy(slot + 4, static_cast<const uint8_t*>(packet) + 4, 60);
  uint32_t header;
  std::memcpy(&header, packet, 4);
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  return index;
}

hsa_barrier_and_packet_t barrier_and(std::vector<hsa_signal_t> dependencies,
                                     hsa_signal_t completion, bool barrier_bit) {
  hsa_barrier_and_packet_t packet{};
  packet.header = HSA_PACKET_TYPE_BARRIER_AND | (barrier_bit ? 1 << HSA_PACKET_HEADER_BARRIER : 0);
  for (size_t i = 0; i < dependencies.size(); ++i) packet.dep_signal[i] = dependencies[i];
  packet.completion_signal = completion;
  return packet;
}

std::vector<char> test_code() {
  const char* path = std::getenv("HSA_TEST_CODE");
  CHECK(path != nullptr);
  std::ifstream file(path, std::ios::binary);
  CHECK(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

static uint32_t kernel_number(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t what) {
  uint32_t value = 0;
  CHECK_OK(hsa_executable_symbol_get_info(symbol, what, &value));
  return value;
}

LoadedKernel load_kernel(const Session& session, const char* name) {
  static std::vector<char> code = test_code();  // must outlive the executable
  LoadedKernel kernel{};
  hsa_code_object_reader_t reader{};
  CHECK_OK(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader));
  CHECK_OK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                     nullptr, &kernel.executable));
  CHECK_OK(hsa_executable_load_agent_code_object(kernel.executable, session.gpu, reader, nullptr,
                                                 &kernel.code_object));
  CHECK_OK(hsa_code_object_reader_destroy(reader));
  CHECK_OK(hsa_executable_freeze(kernel.executable, nullptr));
  hsa_executable_symbol_t symbol{};
  CHECK_OK(hsa_executable_get_symbol_by_name(kernel.executable, name, &session.gpu, &symbol));
  CHECK_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                          &kernel.object));
  kernel.kernarg_bytes =
      kernel_number(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE);
  kernel.group_bytes = kernel_number(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE);
  kernel.private_bytes =
      kernel_number(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE);
  return kernel;
}

hsa_kernel_dispatch_packet_t dispatch_packet(const LoadedKernel& kernel, uint32_t grid,
                                             uint16_t workgroup, void* kernarg,
                                             hsa_signal_t completion) {
  hsa_kernel_dispatch_packet_t packet{};
  packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet.workgroup_size_x = workgroup;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = grid;
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.group_segment_size = kernel.group_bytes;
  packet.private_segment_size = kernel.private_bytes;
  packet.kernel_object = kernel.object;
  packet.kernarg_address = kernarg;
  packet.completion_signal = completion;
  return packet;
}
