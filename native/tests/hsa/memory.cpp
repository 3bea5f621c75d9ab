// Pools, pointers, locks, copies, sharing between processes.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "check.h"

template <typename T>
static T pool_info(hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t attribute) {
  T value{};
  CHECK_OK(hsa_amd_memory_pool_get_info(pool, attribute, &value));
  return value;
}

static hsa_amd_pointer_info_t info_of(const void* pointer) {
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  CHECK_OK(hsa_amd_pointer_info(pointer, &info, nullptr, nullptr, nullptr));
  return info;
}

HSA_TEST(pools_state_their_granules) {
  Session session;
  CHECK_EQ(pool_info<size_t>(session.device, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE), 4096);
  CHECK_EQ(pool_info<size_t>(session.device, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE),
           2u << 20);
  CHECK_EQ(pool_info<size_t>(session.device, HSA_AMD_MEMORY_POOL_INFO_SIZE), size_t{192} << 30);
  CHECK_EQ(
      pool_info<hsa_amd_memory_pool_location_t>(session.fine, HSA_AMD_MEMORY_POOL_INFO_LOCATION),
      HSA_AMD_MEMORY_POOL_LOCATION_CPU);
  hsa_amd_memory_pool_access_t access;
  CHECK_OK(hsa_amd_agent_memory_pool_get_info(session.gpu, session.fine,
                                              HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
  CHECK_EQ(access, HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
}

HSA_TEST(allocations_are_zeroed_aligned_and_reused) {
  Session session;
  auto* small = static_cast<uint8_t*>(session.allocate(session.device, 100));
  CHECK_EQ(reinterpret_cast<uint64_t>(small) % 4096, 0u);
  for (int i = 0; i < 100; ++i) CHECK_EQ(small[i], 0);
  std::memset(small, 0xff, 100);
  CHECK_OK(hsa_amd_memory_pool_free(small));
  auto* again = static_cast<uint8_t*>(session.allocate(session.device, 100));
  CHECK(again == small);
  CHECK_EQ(again[0], 0);
  void* large = session.allocate(session.device, 3u << 20);
  CHECK_EQ(reinterpret_cast<uint64_t>(large) % (2u << 20), 0u);
}

HSA_TEST(wrong_allocations_have_their_status) {
  Session session;
  void* pointer = nullptr;
  CHECK_EQ(hsa_amd_memory_pool_allocate(session.device, 0, 0, &pointer),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK_EQ(hsa_amd_memory_pool_allocate(session.device, size_t{193} << 30, 0, &pointer),
           HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK_EQ(hsa_amd_memory_pool_allocate({77}, 4096, 0, &pointer),
           static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  char stack[64];
  CHECK_EQ(hsa_amd_memory_pool_free(stack), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK_OK(hsa_amd_memory_pool_free(nullptr));
  CHECK_OK(hsa_amd_memory_pool_allocate(session.device, 4096, 0, &pointer));
  CHECK_EQ(hsa_amd_memory_pool_free(static_cast<char*>(pointer) + 64),
           HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK_OK(hsa_amd_memory_pool_free(pointer));
  CHECK_EQ(hsa_amd_memory_pool_free(pointer), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

HSA_TEST(memory_runs_out_at_the_size_of_the_device) {
  Session session;
  const auto available = agent_info<uint64_t>(session.gpu, HSA_AMD_AGENT_INFO_MEMORY_AVAIL);
  void* most = nullptr;
  CHECK_OK(hsa_amd_memory_pool_allocate(session.device, size_t{191} << 30, 0, &most));
  CHECK_EQ(agent_info<uint64_t>(session.gpu, HSA_AMD_AGENT_INFO_MEMORY_AVAIL),
           available - (uint64_t{191} << 30));
  void* more = nullptr;
  CHECK_EQ(hsa_amd_memory_pool_allocate(session.device, size_t{2} << 30, 0, &more),
           HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  CHECK_OK(hsa_amd_memory_pool_free(most));
  CHECK_EQ(agent_info<uint64_t>(session.gpu, HSA_AMD_AGENT_INFO_MEMORY_AVAIL), available);
}

HSA_TEST(pointer_info_knows_ranges_and_owners) {
  Session session;
  auto* base = static_cast<char*>(session.allocate(session.device, 10000));
  auto info = info_of(base + 5000);
  CHECK_EQ(info.type, HSA_EXT_POINTER_TYPE_HSA);
  CHECK(info.agentBaseAddress == base);
  CHECK_EQ(info.sizeInBytes, 10000u);
  CHECK_EQ(info.agentOwner.handle, session.gpu.handle);
  CHECK_EQ(info.global_flags, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  int mark = 0;
  CHECK_OK(hsa_amd_pointer_info_set_userdata(base, &mark));
  CHECK(info_of(base).userData == &mark);
  CHECK_EQ(info_of(&mark).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  uint32_t count = 0;
  hsa_agent_t* list = nullptr;
  CHECK_OK(hsa_amd_pointer_info(base, &info, std::malloc, &count, &list));
  CHECK_EQ(count, 1u);
  CHECK_EQ(list[0].handle, session.gpu.handle);
  std::free(list);
  CHECK_OK(hsa_amd_memory_pool_free(base));
  CHECK_EQ(info_of(base).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

HSA_TEST(older_programs_get_a_shorter_pointer_info) {
  Session session;
  void* base = session.allocate(session.device, 4096);
  hsa_amd_pointer_info_t info{};
  info.size = offsetof(hsa_amd_pointer_info_t, global_flags);
  info.global_flags = 0xabcd;
  CHECK_OK(hsa_amd_pointer_info(base, &info, nullptr, nullptr, nullptr));
  CHECK_EQ(info.global_flags, 0xabcdu);
  CHECK_EQ(info.size, offsetof(hsa_amd_pointer_info_t, global_flags));
}

HSA_TEST(locked_memory_keeps_its_address) {
  Session session;
  std::vector<char> host(10000);
  void* seen = nullptr;
  CHECK_OK(hsa_amd_memory_lock(host.data(), host.size(), nullptr, 0, &seen));
  CHECK(seen == host.data());
  CHECK_EQ(info_of(host.data() + 9999).type, HSA_EXT_POINTER_TYPE_LOCKED);
  CHECK_OK(hsa_amd_memory_lock(host.data(), host.size(), &session.gpu, 1, &seen));
  CHECK_OK(hsa_amd_memory_unlock(host.data()));
  CHECK_EQ(info_of(host.data()).type, HSA_EXT_POINTER_TYPE_LOCKED);  // locked twice
  CHECK_OK(hsa_amd_memory_unlock(host.data()));
  CHECK_EQ(info_of(host.data()).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

HSA_TEST(deallocation_callback_is_called_once) {
  Session session;
  void* memory = session.allocate(session.device, 4096);
  int calls = 0;
  const auto count = [](void*, void* data) { ++*static_cast<int*>(data); };
  CHECK_OK(hsa_amd_register_deallocation_callback(memory, count, &calls));
  CHECK_OK(hsa_amd_memory_pool_free(memory));
  CHECK_EQ(calls, 1);
}

HSA_TEST(regions_are_the_pools_by_their_older_name) {
  Session session;
  hsa_region_t region{session.device.handle};
  size_t granule = 0;
  CHECK_OK(hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE, &granule));
  CHECK_EQ(granule, 4096u);
  void* memory = nullptr;
  CHECK_OK(hsa_memory_allocate(region, 64, &memory));
  uint32_t count = 0;
  hsa_agent_t* list = nullptr;
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  CHECK_OK(hsa_amd_pointer_info(memory, &info, std::malloc, &count, &list));
  CHECK_EQ(count, session.agents.size());
  std::free(list);
  CHECK_OK(hsa_memory_free(memory));
}

HSA_TEST(async_copy_waits_for_its_dependencies) {
  Session session;
  std::vector<int> host(1000, 7);
  auto* device = static_cast<int*>(session.allocate(session.device, 4000));
  const hsa_signal_t gate = make_signal(1), done = make_signal(1);
  CHECK_OK(hsa_amd_memory_async_copy(device, session.gpu, host.data(), session.cpu, 4000, 1, &gate,
                                     done));
  CHECK_EQ(
      hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 20000000, HSA_WAIT_STATE_BLOCKED),
      1);
  CHECK_EQ(device[999], 0);
  hsa_signal_store_relaxed(gate, 0);
  wait_until_zero(done);
  CHECK_EQ(device[999], 7);
  hsa_amd_profiling_async_copy_time_t time{};
  CHECK_OK(hsa_amd_profiling_get_async_copy_time(done, &time));
  CHECK(time.end > time.start);
}

HSA_TEST(copies_on_one_engine_keep_their_order) {
  Session session;
  auto* device = static_cast<int*>(session.allocate(session.device, 4096));
  std::vector<int> values(50);
  const hsa_signal_t done = make_signal(50);
  for (int i = 0; i < 50; ++i) {
    values[i] = i;
    CHECK_OK(hsa_amd_memory_async_copy_on_engine(device, session.gpu, &values[i], session.cpu, 4, 0,
                                                 nullptr, done, HSA_AMD_SDMA_ENGINE_3, false));
  }
  wait_until_zero(done);
  CHECK_EQ(*device, 49);
  CHECK_EQ(
      hsa_amd_memory_async_copy_on_engine(device, session.gpu, device, session.gpu, 4, 0, nullptr,
                                          done, static_cast<hsa_amd_sdma_engine_id_t>(3), false),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

HSA_TEST(rect_copy_moves_a_box) {
  Session session;
  std::vector<uint8_t> source(4 * 4 * 4);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i);
  auto* device = static_cast<uint8_t*>(session.allocate(session.device, 512));
  const hsa_pitched_ptr_t dst{device, 8, 64}, src{source.data(), 4, 16};
  const hsa_dim3_t dst_offset{1, 1, 1}, src_offset{1, 2, 1}, range{2, 2, 2};
  const hsa_signal_t done = make_signal(1);
  CHECK_OK(hsa_amd_memory_async_copy_rect(&dst, &dst_offset, &src, &src_offset, &range, session.gpu,
                                          hsaHostToDevice, 0, nullptr, done));
  wait_until_zero(done);
  for (uint32_t z = 0; z < 2; ++z) {
    for (uint32_t y = 0; y < 2; ++y) {
      for (uint32_t x = 0; x < 2; ++x) {
        CHECK_EQ(device[(1 + z) * 64 + (1 + y) * 8 + 1 + x],
                 source[(1 + z) * 16 + (2 + y) * 4 + 1 + x]);
      }
    }
  }
  CHECK_EQ(device[0], 0);
}

HSA_TEST(fill_and_copy_at_once) {
  Session session;
  auto* device = static_cast<uint32_t*>(session.allocate(session.device, 4096));
  CHECK_OK(hsa_amd_memory_fill(device, 0xdeadbeef, 1024));
  uint32_t back[4];
  CHECK_OK(hsa_memory_copy(back, device + 1020, sizeof back));
  CHECK_EQ(back[3], 0xdeadbeefu);
}

// The child attaches what the parent exports, checks it and answers through it.
static int ipc_child(int pipe_end) {
  hsa_amd_ipc_memory_t handle;
  if (read(pipe_end, &handle, sizeof handle) != sizeof handle) return 1;
  Session session;
  void* mapped = nullptr;
  CHECK_OK(hsa_amd_ipc_memory_attach(&handle, 8192, 1, &session.gpu, &mapped));
  CHECK_EQ(info_of(mapped).type, HSA_EXT_POINTER_TYPE_IPC);
  auto* words = static_cast<uint32_t*>(mapped);
  CHECK_EQ(words[100], 42u);
  words[101] = 43;
  CHECK_OK(hsa_amd_ipc_memory_detach(mapped));
  hsa_amd_ipc_signal_t signal_handle;
  if (read(pipe_end, &signal_handle, sizeof signal_handle) != sizeof signal_handle) return 1;
  hsa_signal_t signal{};
  CHECK_OK(hsa_amd_ipc_signal_attach(&signal_handle, &signal));
  CHECK_EQ(hsa_signal_exchange_relaxed(signal, 2), 1);
  wait_until_zero(signal);
  CHECK_OK(hsa_signal_destroy(signal));
  return 0;
}

HSA_TEST(memory_and_signals_are_shared_with_another_process) {
  int ends[2];
  CHECK_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) std::exit(ipc_child(ends[0]));
  Session session;
  auto* words = static_cast<uint32_t*>(session.allocate(session.device, 8192));
  words[100] = 42;
  hsa_amd_ipc_memory_t handle;
  CHECK_OK(hsa_amd_ipc_memory_create(words, 8192, &handle));
  CHECK_EQ(words[100], 42u);
  CHECK_EQ(write(ends[1], &handle, sizeof handle), ssize_t{sizeof handle});
  hsa_signal_t signal{};
  hsa_amd_ipc_signal_t signal_handle;
  CHECK_OK(hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, &signal));
  CHECK_OK(hsa_amd_ipc_signal_create(signal, &signal_handle));
  CHECK_EQ(write(ends[1], &signal_handle, sizeof signal_handle), ssize_t{sizeof signal_handle});
  CHECK_EQ(hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 2, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED),
           2);
  hsa_signal_store_relaxed(signal, 0);
  int status = 1;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
  CHECK_EQ(words[101], 43u);
  CHECK_OK(hsa_signal_destroy(signal));
  CHECK_EQ(hsa_amd_ipc_signal_create(make_signal(0), &signal_handle),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);  // not made to be shared
  std::memset(&handle, 0, sizeof handle);
  void* mapped = nullptr;
  CHECK_EQ(hsa_amd_ipc_memory_attach(&handle, 8192, 1, &session.gpu, &mapped),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
}
