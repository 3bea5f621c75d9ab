// Packet processing: order, barriers, errors, interception, soft queues.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "../../vgpu/hsa/signal/virtual_clock.h"
#include "hsa/amd_hsa_queue.h"
#include "check.h"

HSA_TEST(queue_describes_itself) {
  Session session;
  hsa_queue_t* queue = session.queue(128);
  CHECK_EQ(queue->size, 128u);
  CHECK_EQ(queue->type, HSA_QUEUE_TYPE_MULTI);
  CHECK(queue->base_address && queue->doorbell_signal.handle);
  CHECK_EQ(hsa_queue_load_write_index_relaxed(queue), 0u);
  hsa_agent_t agent{};
  CHECK_OK(hsa_amd_queue_get_info(queue, HSA_AMD_QUEUE_INFO_AGENT, &agent));
  CHECK_EQ(agent.handle, session.gpu.handle);
  CHECK_OK(hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
  const uint32_t wanted[10] = {0xff};
  uint32_t mask[10] = {};
  CHECK_OK(hsa_amd_queue_cu_set_mask(queue, 32, wanted));
  CHECK_OK(hsa_amd_queue_cu_get_mask(queue, 320, mask));
  CHECK_EQ(mask[0], 0xffu);
  CHECK_EQ(mask[9], 0u);
  CHECK_OK(hsa_queue_destroy(queue));
}

HSA_TEST(wrong_queues_have_their_status) {
  Session session;
  hsa_queue_t* queue = nullptr;
  CHECK_EQ(hsa_queue_create(session.gpu, 100, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK_EQ(hsa_queue_create(session.cpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
           HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  CHECK_EQ(hsa_queue_create({1}, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
           HSA_STATUS_ERROR_INVALID_AGENT);
  CHECK_EQ(hsa_queue_destroy(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

HSA_TEST(barrier_and_waits_for_all_its_signals) {
  Session session;
  hsa_queue_t* queue = session.queue();
  const hsa_signal_t a = make_signal(1), b = make_signal(2), done = make_signal(1);
  const auto packet = barrier_and({a, b}, done);
  enqueue(queue, &packet);
  hsa_signal_store_relaxed(a, 0);
  CHECK_EQ(
      hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_EQ, 0, 5000000, HSA_WAIT_STATE_BLOCKED),
      1);
  hsa_signal_subtract_relaxed(b, 2);
  wait_until_zero(done);
  CHECK_OK(hsa_queue_destroy(queue));
}

HSA_TEST(barrier_or_waits_for_one_signal) {
  Session session;
  hsa_queue_t* queue = session.queue();
  const hsa_signal_t a = make_signal(1), b = make_signal(1), done = make_signal(1);
  auto packet = barrier_and({a, b}, done);
  packet.header = HSA_PACKET_TYPE_BARRIER_OR | 1 << HSA_PACKET_HEADER_BARRIER;
  enqueue(queue, &packet);
  hsa_signal_store_relaxed(b, 0);
  wait_until_zero(done);
}

HSA_TEST(barrier_value_compares_masked_values) {
  Session session;
  hsa_queue_t* queue = session.queue();
  const hsa_signal_t signal = make_signal(0x10), done = make_signal(1);
  hsa_amd_barrier_value_packet_t packet{};
  packet.header.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC | 1 << HSA_PACKET_HEADER_BARRIER;
  packet.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  packet.signal = signal;
  packet.value = 3;
  packet.mask = 0xf;
  packet.cond = HSA_SIGNAL_CONDITION_EQ;
  packet.completion_signal = done;
  enqueue(queue, &packet);
  CHECK_EQ(
      hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_EQ, 0, 5000000, HSA_WAIT_STATE_BLOCKED),
      1);
  hsa_signal_store_relaxed(signal, 0xf3);
  wait_until_zero(done);
}

HSA_TEST(many_packets_wrap_around_the_ring_in_order) {
  Session session;
  hsa_queue_t* queue = session.queue(64);
  const hsa_signal_t done = make_signal(1000);
  const auto packet = barrier_and({}, done);
  for (int i = 0; i < 1000; ++i) enqueue(queue, &packet);
  wait_until_zero(done);
  while (hsa_queue_load_read_index_relaxed(queue) != 1000) std::this_thread::yield();
  CHECK_EQ(hsa_queue_load_write_index_relaxed(queue), 1000u);
}

HSA_TEST(several_threads_share_a_queue) {
  Session session;
  hsa_queue_t* queue = session.queue(64);
  const hsa_signal_t done = make_signal(400);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto packet = barrier_and({}, done);
      for (int i = 0; i < 100; ++i) enqueue(queue, &packet);
    });
  }
  for (std::thread& thread : threads) thread.join();
  wait_until_zero(done);
}

HSA_TEST(doorbell_may_be_written_as_hardware) {
  Session session;
  hsa_queue_t* queue = session.queue();
  const hsa_signal_t done = make_signal(1);
  const auto packet = barrier_and({}, done);
  auto* slot = static_cast<uint8_t*>(queue->base_address);
  std::memcpy(slot + 2, reinterpret_cast<const uint8_t*>(&packet) + 2, sizeof packet - 2);
  __atomic_store_n(reinterpret_cast<uint16_t*>(slot), packet.header, __ATOMIC_RELEASE);
  hsa_queue_store_write_index_relaxed(queue, 1);
  volatile hsa_signal_value_t* doorbell = nullptr;
  CHECK_OK(hsa_amd_signal_value_pointer(queue->doorbell_signal, &doorbell));
  __atomic_store_n(doorbell, 0, __ATOMIC_SEQ_CST);
  wait_until_zero(done);
}

struct QueueError {
  std::atomic<hsa_status_t> status{HSA_STATUS_SUCCESS};
  hsa_queue_t* source = nullptr;
  hsa_signal_t reported;
};

static void note_error(hsa_status_t status, hsa_queue_t* source, void* data) {
  auto* error = static_cast<QueueError*>(data);
  error->status = status;
  error->source = source;
  hsa_signal_store_relaxed(error->reported, 0);
}

template <typename Packet>
static hsa_status_t status_of_wrong_packet(const Packet& packet) {
  Session session;
  QueueError error;
  error.reported = make_signal(1);
  hsa_queue_t* queue = nullptr;
  CHECK_OK(
      hsa_queue_create(session.gpu, 64, HSA_QUEUE_TYPE_MULTI, note_error, &error, 0, 0, &queue));
  enqueue(queue, &packet);
  wait_until_zero(error.reported);
  CHECK(error.source == queue);
  CHECK_OK(hsa_queue_destroy(queue));
  return error.status;
}

HSA_TEST(unknown_packet_is_reported) {
  hsa_barrier_and_packet_t packet{};
  packet.header = 9;
  CHECK_EQ(status_of_wrong_packet(packet), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
}

HSA_TEST(failing_queue_without_callback) {
  Session session;
  hsa_queue_t* queue = session.queue();
  hsa_barrier_and_packet_t packet{};
  packet.header = 9;
  int ends[2];
  CHECK_EQ(pipe(ends), 0);
  CHECK_EQ(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  enqueue(queue, &packet);
  char report[512] = {};
  CHECK(read(ends[0], report, sizeof report - 1) > 0);  // waits for it
  std::printf("%s", report);
}

HSA_TEST(dispatch_without_kernel_is_reported) {
  hsa_kernel_dispatch_packet_t packet{};
  packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  packet.setup = 1;
  packet.workgroup_size_x = packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = packet.grid_size_y = packet.grid_size_z = 1;
  CHECK_EQ(status_of_wrong_packet(packet), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

HSA_TEST(too_large_a_workgroup_is_reported) {
  hsa_kernel_dispatch_packet_t packet{};
  packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  packet.setup = 1;
  packet.workgroup_size_x = 2048;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = packet.grid_size_y = packet.grid_size_z = 1;
  packet.kernel_object = 64;
  CHECK_EQ(status_of_wrong_packet(packet), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

HSA_TEST(inactive_queue_processes_nothing) {
  Session session;
  hsa_queue_t* queue = session.queue();
  CHECK_OK(hsa_queue_inactivate(queue));
  const hsa_signal_t done = make_signal(1);
  const auto packet = barrier_and({}, done);
  enqueue(queue, &packet);
  CHECK_EQ(
      hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_EQ, 0, 5000000, HSA_WAIT_STATE_BLOCKED),
      1);
  CHECK_OK(hsa_queue_destroy(queue));
}

HSA_TEST(shut_down_stops_a_waiting_queue) {
  Session session;
  hsa_queue_t* queue = session.queue();
  const auto packet = barrier_and({make_signal(1)}, {0});
  enqueue(queue, &packet);  // never satisfied; ~Session must not hang
}

HSA_TEST(soft_queue_is_the_programs_own) {
  Session session;
  hsa_queue_t* queue = nullptr;
  const hsa_signal_t doorbell = make_signal(-1);
  CHECK_OK(hsa_soft_queue_create({session.fine.handle}, 16, HSA_QUEUE_TYPE_SINGLE,
                                 HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &queue));
  CHECK_EQ(queue->doorbell_signal.handle, doorbell.handle);
  CHECK_EQ(queue->features, HSA_QUEUE_FEATURE_AGENT_DISPATCH);
  CHECK_EQ(hsa_queue_cas_write_index_scacq_screl(queue, 0, 3), 0u);
  CHECK_EQ(hsa_queue_load_write_index_acquire(queue), 3u);
  CHECK_OK(hsa_queue_destroy(queue));
}

// --- Interception -------------------------------------------------------------------------------

// ROCm's headers give these C++ names, because tools take them from the table.
template <typename Function>
static Function* from_library(const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  CHECK(found != nullptr);
  return found;
}

static hsa_queue_t* intercepted_queue(const Session& session) {
  using Create = decltype(hsa_amd_queue_intercept_create);
  auto* create = from_library<Create>("hsa_amd_queue_intercept_create");
  hsa_queue_t* queue = nullptr;
  CHECK_OK(create(session.gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
  return queue;
}

static hsa_status_t intercept(hsa_queue_t* queue, hsa_amd_queue_intercept_handler handler) {
  using Register = decltype(hsa_amd_queue_intercept_register);
  return from_library<Register>("hsa_amd_queue_intercept_register")(queue, handler, nullptr);
}

static std::vector<std::string> seen;

static void outer(const void* packets, uint64_t count, uint64_t index, void*,
                  hsa_amd_queue_intercept_packet_writer writer) {
  seen.push_back("outer " + std::to_string(count) + " at " + std::to_string(index));
  writer(packets, count);
}

static void note_marker(const amd_aql_intercept_marker_s* packet, hsa_queue_t*, uint64_t) {
  seen.push_back("marker " + std::to_string(packet->user_data[0]));
}

// Doubles every packet and adds a marker behind it.
static void inner(const void* packets, uint64_t count, uint64_t, void*,
                  hsa_amd_queue_intercept_packet_writer writer) {
  seen.push_back("inner");
  writer(packets, count);
  writer(packets, count);
  amd_aql_intercept_marker_t marker{};
  marker.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC;
  marker.format = AMD_AQL_FORMAT_INTERCEPT_MARKER;
  marker.callback = note_marker;
  marker.user_data[0] = 5;
  writer(&marker, 1);
}

HSA_TEST(interceptors_see_and_change_packets) {
  Session session;
  hsa_queue_t* queue = intercepted_queue(session);
  CHECK_OK(intercept(queue, inner));
  CHECK_OK(intercept(queue, outer));
  const hsa_signal_t done = make_signal(2);
  const auto packet = barrier_and({}, done);
  enqueue(queue, &packet);
  wait_until_zero(done);  // one packet of the program, two executed
  CHECK((seen == std::vector<std::string>{"outer 1 at 0", "inner", "marker 5"}));
  CHECK_EQ(hsa_queue_load_read_index_relaxed(queue), 1u);
  CHECK_EQ(intercept(session.queue(), inner), HSA_STATUS_ERROR_INVALID_QUEUE);
  CHECK_OK(hsa_queue_destroy(queue));
}

HSA_TEST(intercepted_ring_wraps_around) {
  Session session;
  hsa_queue_t* queue = intercepted_queue(session);
  CHECK_OK(intercept(queue, outer));
  const hsa_signal_t done = make_signal(300);
  const auto packet = barrier_and({}, done);
  for (int i = 0; i < 300; ++i) enqueue(queue, &packet);
  wait_until_zero(done);
}

// --- Virtual time -------------------------------------------------------------------------------

HSA_TEST(barrier_ends_when_its_signals_did) {
  Session session;
  hsa_queue_t* queue = session.queue();
  const hsa_signal_t copied = make_signal(1), done = make_signal(1);
  const auto packet = barrier_and({copied}, done);
  enqueue(queue, &packet);
  std::vector<char> host(1 << 16);
  void* device = session.allocate(session.device, host.size());
  CHECK_OK(hsa_amd_memory_async_copy(device, session.gpu, host.data(), session.cpu, host.size(), 0,
                                     nullptr, copied));
  wait_until_zero(done);
  hsa_amd_profiling_async_copy_time_t copy_time{};
  hsa_amd_profiling_dispatch_time_t barrier_time{};
  CHECK_OK(hsa_amd_profiling_get_async_copy_time(copied, &copy_time));
  CHECK_OK(hsa_amd_profiling_get_dispatch_time(session.gpu, done, &barrier_time));
  CHECK_EQ(barrier_time.end, copy_time.end);
  CHECK_EQ(vrocm_signal_time(done), copy_time.end);
}
