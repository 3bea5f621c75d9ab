// Loading a compiled code object and running its kernels.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "../../vgpu/hsa/signal/virtual_clock.h"
#include "check.h"
#include "scaling.h"
#include "vrocm/trace.h"

HSA_TEST(kernel_computes) {
  Scaling scaling;
  scaling.run(1000, 256);
  for (int i = 0; i < 1000; ++i) CHECK_EQ(scaling.out[i], 3 * i);
  CHECK_EQ(scaling.out[1000], 0);  // a partial workgroup stops at the grid
  hsa_amd_profiling_dispatch_time_t time{};
  CHECK_OK(hsa_amd_profiling_get_dispatch_time(scaling.session.gpu, scaling.done, &time));
  CHECK(time.end > time.start);
  CHECK_EQ(vrocm_host_now(), time.end + vrocm::kSignalWakeupNs);
}

HSA_TEST(barrier_bit_orders_virtual_time) {
  Scaling scaling;
  const hsa_signal_t first = make_signal(1), second = make_signal(1), third = make_signal(1);
  auto packet = dispatch_packet(scaling.kernel, 1024, 256, scaling.arguments, first);
  enqueue(scaling.queue, &packet);
  packet.completion_signal = second;
  packet.header &= static_cast<uint16_t>(~(1 << HSA_PACKET_HEADER_BARRIER));
  enqueue(scaling.queue, &packet);
  packet.completion_signal = third;
  packet.header |= 1 << HSA_PACKET_HEADER_BARRIER;
  enqueue(scaling.queue, &packet);
  wait_until_zero(third);
  hsa_amd_profiling_dispatch_time_t a{}, b{}, c{};
  CHECK_OK(hsa_amd_profiling_get_dispatch_time(scaling.session.gpu, first, &a));
  CHECK_OK(hsa_amd_profiling_get_dispatch_time(scaling.session.gpu, second, &b));
  CHECK_OK(hsa_amd_profiling_get_dispatch_time(scaling.session.gpu, third, &c));
  CHECK_EQ(b.start, a.start);                 // without the bit they overlap
  CHECK_EQ(c.start, std::max(a.end, b.end));  // with it, everything before is complete
}

HSA_TEST(prints_virtual_times) {
  Scaling scaling;
  for (int i = 0; i < 3; ++i) {
    hsa_signal_store_relaxed(scaling.done, 1);
    scaling.run(1024, 256);
    hsa_amd_profiling_dispatch_time_t time{};
    CHECK_OK(hsa_amd_profiling_get_dispatch_time(scaling.session.gpu, scaling.done, &time));
    std::printf("%llu %llu\n", (unsigned long long)time.start, (unsigned long long)time.end);
  }
}

HSA_TEST(executable_lists_kernels_and_variables) {
  Session session;
  const LoadedKernel kernel = load_kernel(session, "scale.kd");
  CHECK_EQ(kernel.object % 64, 0u);
  CHECK_EQ(kernel.kernarg_bytes, 20u);  // two pointers and a number
  std::vector<std::string> names;
  CHECK_OK(hsa_executable_iterate_agent_symbols(
      kernel.executable, session.gpu,
      [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* data) {
        uint32_t length = 0;
        CHECK_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH,
                                                &length));
        std::string name(length, '?');
        CHECK_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, &name[0]));
        static_cast<std::vector<std::string>*>(data)->push_back(name);
        return HSA_STATUS_SUCCESS;
      },
      &names));
  std::sort(names.begin(), names.end());
  CHECK((names == std::vector<std::string>{"read_table.kd", "scale.kd", "table", "table_pointer"}));
  hsa_executable_symbol_t symbol{};
  CHECK_EQ(hsa_executable_get_symbol_by_name(kernel.executable, "absent", &session.gpu, &symbol),
           HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  CHECK_OK(hsa_executable_get_symbol_by_name(kernel.executable, "table", &session.gpu, &symbol));
  uint64_t address = 0;
  uint32_t bytes = 0;
  CHECK_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                          &address));
  CHECK_OK(
      hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &bytes));
  CHECK_EQ(bytes, 16u);
  CHECK_EQ(reinterpret_cast<int*>(address)[3], 40);
  CHECK_EQ(
      hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &address),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// `table_pointer` holds the address of `table`: a relocation that the loader resolves.
HSA_TEST(loader_relocates_pointers) {
  Session session;
  const LoadedKernel kernel = load_kernel(session, "read_table.kd");
  hsa_queue_t* queue = session.queue();
  auto* out = static_cast<int*>(session.allocate(session.device, 4096));
  auto* arguments = static_cast<int**>(session.allocate(session.kernarg, 4096));
  *arguments = out;
  const hsa_signal_t done = make_signal(1);
  const auto packet = dispatch_packet(kernel, 4, 4, arguments, done);
  enqueue(queue, &packet);
  wait_until_zero(done);
  for (int i = 0; i < 4; ++i) CHECK_EQ(out[i], 10 * (i + 1));
}

HSA_TEST(loader_tells_where_code_is) {
  Session session;
  const LoadedKernel kernel = load_kernel(session, "scale.kd");
  const void* host = nullptr;
  const auto* descriptor = reinterpret_cast<const void*>(kernel.object);
  CHECK_OK(hsa_ven_amd_loader_query_host_address(descriptor, &host));
  CHECK_EQ(hsa_ven_amd_loader_query_host_address(&kernel, &host),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_executable_t executable{};
  CHECK_OK(hsa_ven_amd_loader_query_executable(descriptor, &executable));
  CHECK_EQ(executable.handle, kernel.executable.handle);
  uint64_t base = 0, bytes = 0;
  CHECK_OK(hsa_ven_amd_loader_loaded_code_object_get_info(
      kernel.code_object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, &base));
  CHECK_OK(hsa_ven_amd_loader_loaded_code_object_get_info(
      kernel.code_object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE, &bytes));
  CHECK(kernel.object - base < bytes);
  uint32_t length = 0;
  CHECK_OK(hsa_ven_amd_loader_loaded_code_object_get_info(
      kernel.code_object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH, &length));
  std::string uri(length, '?');
  CHECK_OK(hsa_ven_amd_loader_loaded_code_object_get_info(
      kernel.code_object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, &uri[0]));
  CHECK_EQ(uri.rfind("memory://", 0), 0u);
  CHECK(uri.find("#offset=0x") != std::string::npos && uri.find("&size=") != std::string::npos);
  size_t segments = 0;
  CHECK_OK(hsa_ven_amd_loader_query_segment_descriptors(nullptr, &segments));
  CHECK(segments >= 2);
  CHECK_OK(hsa_executable_destroy(kernel.executable));
  CHECK_EQ(hsa_ven_amd_loader_query_executable(descriptor, &executable),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

HSA_TEST(damaged_code_objects_are_refused) {
  Session session;
  const std::vector<char> good = test_code();
  hsa_executable_t executable{};
  CHECK_OK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                     nullptr, &executable));
  const auto load = [&](const std::vector<char>& code) {
    hsa_code_object_reader_t reader{};
    CHECK_OK(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader));
    const hsa_status_t status =
        hsa_executable_load_agent_code_object(executable, session.gpu, reader, nullptr, nullptr);
    CHECK_OK(hsa_code_object_reader_destroy(reader));
    return status;
  };
  CHECK_EQ(load(std::vector<char>(64, 'x')), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  for (size_t cut : {size_t{10}, size_t{100}, size_t{700}, good.size() / 2}) {
    CHECK_EQ(load({good.begin(), good.begin() + static_cast<long>(cut)}),
             HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  }
  std::vector<char> other_target = good;
  other_target[48] = 0x41;  // e_flags: gfx1100
  CHECK_EQ(load(other_target), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  for (size_t at = 64; at < std::min<size_t>(good.size(), 4096); at += 3) {
    std::vector<char> damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
    hsa_executable_t other{};
    CHECK_OK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                       nullptr, &other));
    std::swap(executable, other);
    load(damaged);  // any status; it must not crash
    std::swap(executable, other);
    CHECK_OK(hsa_executable_destroy(other));
  }
  CHECK_OK(load(good));
  CHECK_OK(hsa_executable_freeze(executable, nullptr));
  CHECK_EQ(load(good), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
}

// --- The trace sink -----------------------------------------------------------------------------

struct Recording {
  std::mutex mutex;
  std::vector<VrocmDispatchRecord> dispatches;
  std::vector<std::string> kernel_names;
  int code_objects = 0, queues = 0, allocations = 0, copies = 0;
};

static VrocmTraceSink recording_sink(Recording& recording) {
  VrocmTraceSink sink{};
  sink.user = &recording;
  sink.on_dispatch = [](void* user, const VrocmDispatchRecord* record) {
    auto* into = static_cast<Recording*>(user);
    std::lock_guard<std::mutex> lock(into->mutex);
    into->dispatches.push_back(*record);
    into->kernel_names.push_back(record->kernel_name);
  };
  sink.on_code_object = [](void* user, const VrocmCodeObjectRecord* record) {
    static_cast<Recording*>(user)->code_objects += record->loaded;
  };
  sink.on_queue = [](void* user, const VrocmQueueRecord* record) {
    static_cast<Recording*>(user)->queues += record->created;
  };
  sink.on_allocation = [](void* user, const VrocmAllocationRecord* record) {
    static_cast<Recording*>(user)->allocations += record->allocated;
  };
  return sink;
}

HSA_TEST(sink_hears_of_everything) {
  static Recording recording;
  static const VrocmTraceSink sink = recording_sink(recording);
  vrocm_set_trace_sink(&sink);
  Scaling scaling;
  vrocm_set_correlation(77);
  scaling.run(512, 256);
  vrocm_set_trace_sink(nullptr);
  CHECK_EQ(recording.code_objects, 1);
  CHECK_EQ(recording.queues, 1);
  CHECK_EQ(recording.allocations, 3);
  CHECK_EQ(recording.dispatches.size(), 1u);
  const VrocmDispatchRecord& dispatch = recording.dispatches[0];
  CHECK(recording.kernel_names[0] == "scale");
  CHECK_EQ(dispatch.correlation_id, 77u);
  CHECK_EQ(dispatch.grid[0], 512u);
  CHECK_EQ(dispatch.workgroup[0], 256u);
  CHECK_EQ(dispatch.kernel_object, scaling.kernel.object);
  CHECK(dispatch.end_ns > dispatch.start_ns);
  CHECK(dispatch.wave_instructions > 0);
}
