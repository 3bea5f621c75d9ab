// Programs at the level of packets, for `rocm-perf isolate`: what HIP does not do, or not so directly.
#include <cstring>
#include <thread>

#include "check.h"
#include "scaling.h"

namespace {

// One more launch of `scale`, with memory and arguments of its own.
struct Launch {
  ScaleArguments* arguments;
  hsa_signal_t done = make_signal(1);

  Launch(Scaling& scaling, int* out, const int* in, int factor)
      : arguments(
            static_cast<ScaleArguments*>(scaling.session.allocate(scaling.session.kernarg, 4096))) {
    *arguments = {out, in, factor};
  }
  hsa_kernel_dispatch_packet_t packet(const Scaling& scaling) const {
    return dispatch_packet(scaling.kernel, 1024, 256, arguments, done);
  }
};

int* memory(Scaling& scaling) {
  return static_cast<int*>(scaling.session.allocate(scaling.session.device, 4096));
}

}  // namespace

// The other queue waits for a signal that comes after the captured dispatch: it has to count as
// drained, or nothing would ever go on.
HSA_TEST(captured_beside_a_blocked_queue) {
  Scaling scaling;
  hsa_queue_t* other = scaling.session.queue();
  int* late = memory(scaling);
  Launch blocked(scaling, late, scaling.out, 5);
  const hsa_signal_t gate = make_signal(1);
  const auto barrier = barrier_and({gate}, {0});
  enqueue(other, &barrier);
  const auto packet = blocked.packet(scaling);
  enqueue(other, &packet);
  scaling.run(1024, 256);  // captured
  CHECK_EQ(late[7], 0);
  hsa_signal_store_screlease(gate, 0);
  wait_until_zero(blocked.done);
  CHECK_EQ(late[7], 7 * 3 * 5);
}

// The captured dispatch itself waits for a signal that the program gives after submitting it.
HSA_TEST(captured_behind_its_own_barrier) {
  Scaling scaling;
  const hsa_signal_t gate = make_signal(1);
  std::thread submits([&] {
    const auto barrier = barrier_and({gate}, {0});
    enqueue(scaling.queue, &barrier);
    const auto packet = dispatch_packet(scaling.kernel, 1024, 256, scaling.arguments, scaling.done);
    enqueue(scaling.queue, &packet);
    hsa_signal_store_screlease(gate, 0);
  });
  submits.join();
  wait_until_zero(scaling.done);
  CHECK_EQ(scaling.out[7], 21);
}

// Three packets with one doorbell: the second one is captured, and reads what the first one writes.
HSA_TEST(captured_among_several_packets) {
  Scaling scaling;
  int* last = memory(scaling);
  Launch second(scaling, last, scaling.out, 5), third(scaling, scaling.in, last, 7);
  const hsa_kernel_dispatch_packet_t packets[] = {
      dispatch_packet(scaling.kernel, 1024, 256, scaling.arguments, scaling.done),
      second.packet(scaling), third.packet(scaling)};
  const uint64_t index = hsa_queue_add_write_index_screlease(scaling.queue, 3);
  auto* slots = static_cast<uint8_t*>(scaling.queue->base_address);
  std::memcpy(slots + index * 64, packets, sizeof packets);  // nobody looks before the doorbell
  hsa_signal_store_screlease(scaling.queue->doorbell_signal,
                             static_cast<hsa_signal_value_t>(index + 2));
  wait_until_zero(third.done);
  CHECK_EQ(last[9], 9 * 3 * 5);
  CHECK_EQ(scaling.in[9], 9 * 3 * 5 * 7);
}

// Code that is loaded from a file, whose descriptor is closed before the dispatch.
HSA_TEST(captured_code_from_a_file) {
  Scaling scaling;
  std::FILE* file = std::fopen(std::getenv("HSA_TEST_CODE"), "rb");
  CHECK(file != nullptr);
  hsa_code_object_reader_t reader{};
  hsa_executable_t executable{};
  hsa_executable_symbol_t symbol{};
  CHECK_OK(hsa_code_object_reader_create_from_file(fileno(file), &reader));
  CHECK_OK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                     nullptr, &executable));
  CHECK_OK(hsa_executable_load_agent_code_object(executable, scaling.session.gpu, reader, nullptr,
                                                 nullptr));
  CHECK_OK(hsa_code_object_reader_destroy(reader));
  std::fclose(file);
  CHECK_OK(hsa_executable_freeze(executable, nullptr));
  CHECK_OK(
      hsa_executable_get_symbol_by_name(executable, "scale.kd", &scaling.session.gpu, &symbol));
  CHECK_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                          &scaling.kernel.object));
  scaling.run(1024, 256);
  CHECK_EQ(scaling.out[7], 21);
}
