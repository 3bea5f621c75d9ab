#include "tool/capture.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "contents/arguments.h"
#include "contents/code_objects.h"
#include "contents/images.h"
#include "contents/snapshot.h"
#include "hooks/gate.h"
#include "hooks/settings.h"
#include "hooks/tables.h"
#include "tool/description.h"
#include "tool/queues.h"

namespace capture {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLook = std::chrono::microseconds(100);
// A queue that waits for a signal while all others have nothing to do: the program itself will give
// the signal, perhaps only after the call that submitted the dispatch.
constexpr auto kBlocked = std::chrono::seconds(10);
constexpr uint64_t kWaitTicks = 100'000'000;  // of the runtime's clock, until we look at ours

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool others_are_quiet(const Queue& own) {
  for (const auto& queue : all_queues()) {
    if (queue.get() != &own && !queue->quiet()) return false;
  }
  return copies_are_quiet();
}

void check_time(Clock::time_point start) {
  if (seconds_since(start) > settings().drain_seconds) {
    throw Failure("work that was submitted earlier did not end within " +
                  std::to_string(settings().drain_seconds) + " s");
  }
}

// Everything before the dispatch on its own queue. The gate is open: others may have to go on for it.
void drain_own(Queue& own, Clock::time_point start) {
  auto last_progress = Clock::now();
  while (!own.idle()) {
    if (!own.quiet() || !others_are_quiet(own)) last_progress = Clock::now();
    if (Clock::now() - last_progress > kBlocked) {
      throw Failure(
          "its queue waits for a signal that nothing on the device will give; the "
          "application seems to give it later, so that the dispatch cannot run alone");
    }
    check_time(start);
    std::this_thread::sleep_for(kLook);
  }
}

void drain_others(const Queue& own, Clock::time_point start) {
  while (!others_are_quiet(own)) {
    check_time(start);
    std::this_thread::sleep_for(kLook);
  }
}

// The program must not see the dispatch end before the second snapshot: it runs with a signal of ours,
// and the program's own signal is completed by a barrier packet behind it.
void run_alone(const Packet& packet, hsa_amd_queue_intercept_packet_writer write) {
  hsa_signal_t done{};
  const hsa_status_t status = core().hsa_signal_create_fn(1, 0, nullptr, &done);
  if (status != HSA_STATUS_SUCCESS) throw Failure(describe("hsa_signal_create", status));
  Packet alone = packet;
  alone.completion_signal = done;
  write(&alone, 1);
  const auto start = Clock::now();
  while (core().hsa_signal_wait_scacquire_fn(done, HSA_SIGNAL_CONDITION_LT, 1, kWaitTicks,
                                             HSA_WAIT_STATE_BLOCKED) >= 1) {
    // It may wait for a host thread or a kernel that waits for us; the signal stays, it is in use.
    if (seconds_since(start) > settings().drain_seconds) {
      throw Failure("the dispatch did not end alone within " +
                    std::to_string(settings().drain_seconds) + " s");
    }
  }
  core().hsa_signal_destroy_fn(done);
}

void complete_for_program(const Packet& packet, hsa_amd_queue_intercept_packet_writer write) {
  if (!packet.completion_signal.handle) return;
  const Packet barrier = barrier_packet(packet.completion_signal);
  write(&barrier, 1);
}

std::vector<Region> everything_reachable(hsa_agent_t agent) {
  std::vector<Region> regions = reachable_memory(agent);
  for (const Region& code : loaded_code(agent)) regions.push_back(code);
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return a.base < b.base; });
  return regions;
}

void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0755) != 0) {
    throw Failure("cannot make the folder " + path + ": " + std::strerror(errno));
  }
}

// A kernel that does not say how long its arguments are gets what a page may hold of them.
std::vector<uint8_t> kernarg_of(const Packet& packet, uint64_t size,
                                const std::vector<Region>& regions) {
  const auto address = reinterpret_cast<uint64_t>(packet.kernarg_address);
  for (const Region& region : regions) {
    const uint64_t offset = address - region.base;
    if (offset >= region.size) continue;
    std::vector<uint8_t> bytes(std::min(size ? size : kPage, region.size - offset));
    read_memory(region, offset, bytes.size(), bytes.data());
    return bytes;
  }
  if (address && size) throw Failure("its arguments lie in memory that was not seen");
  return {};
}

std::vector<std::pair<uint64_t, uint64_t>> changed_memory(const Taken& taken) {
  std::vector<std::pair<uint64_t, uint64_t>> changed;
  for (size_t i = 0; i < taken.regions.size(); ++i) {
    for (const auto& [first, count] : taken.changes[i].runs) {
      const uint64_t begin = taken.regions[i].base + first * kPage;
      changed.emplace_back(begin, begin + count * kPage);
    }
  }
  return changed;
}

void take(Queue& queue, const Packet& packet, uint64_t index, uint64_t queue_index,
          const std::string& folder, hsa_amd_queue_intercept_packet_writer write, bool& ran) {
  const auto start = Clock::now();
  drain_own(queue, start);
  const Closed closed(gate());
  drain_others(queue, start);
  Taken taken{packet,
              index,
              queue.agent(),
              queue.handle(),
              queue_index,
              seconds_since(start),
              image_count(),
              {},
              {},
              {}};
  taken.regions = everything_reachable(queue.agent());
  make_folder(folder);
  make_folder(folder + "/memory");
  make_folder(folder + "/after");
  const auto kernel = kernel_at(packet.kernel_object);
  const LoadedCode code = code_at(packet.kernel_object);
  if (!code.bytes || code.bytes->empty()) {
    throw Failure("the code object that holds " + kernel->demangled + " was not seen");
  }
  write_file(folder + "/kernel.hsaco", code.bytes->data(), code.bytes->size());
  const auto kernarg = kernarg_of(packet, kernel->kernarg_size, taken.regions);
  write_file(folder + "/kernarg.bin", kernarg.data(), kernarg.size());
  Snapshot snapshot(folder, settings().max_bytes);
  for (const Region& region : taken.regions) taken.stored.push_back(snapshot.write_before(region));

  ran = true;
  run_alone(packet, write);
  for (const Region& region : taken.regions) taken.changes.push_back(snapshot.write_after(region));
  write_description(folder, taken, *kernel, code, kernarg.size());
  remember_changes(changed_memory(taken));
}

}  // namespace

void capture_dispatch(Queue& queue, const Packet& packet, uint64_t index, uint64_t queue_index,
                      hsa_amd_queue_intercept_packet_writer write) {
  const std::string pid = std::to_string(getpid());
  const std::string folder = settings().folder + "/capture-" + pid;
  bool ran = false;
  try {
    take(queue, packet, index, queue_index, folder + ".part", write, ran);
    if (std::rename((folder + ".part").c_str(), folder.c_str()) != 0) {
      throw Failure("cannot rename " + folder + ".part: " + std::strerror(errno));
    }
  } catch (const std::exception& failure) {
    const std::string why = failure.what();
    try {
      write_file(settings().folder + "/error-" + pid + ".txt", why.data(), why.size());
    } catch (const Failure& second) {
      std::fprintf(stderr, "rocm-perf isolate: %s; %s\n", why.c_str(), second.what());
    }
  }
  if (ran) {
    complete_for_program(packet, write);
  } else {
    write(&packet, 1);
  }
}

}  // namespace capture
