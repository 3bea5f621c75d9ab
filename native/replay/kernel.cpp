#include "kernel.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace replay {
namespace {

constexpr uint16_t kBarrierHeader =
    HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER;

// Called by the runtime on a thread of its own: there is nobody to throw to.
[[noreturn]] void queue_failed(hsa_status_t status, hsa_queue_t*, void*) {
  std::fprintf(stderr, "the device stopped the queue: status 0x%x\n",
               static_cast<unsigned>(status));
  std::_Exit(1);
}

const Region* holding(const std::vector<Region>& regions, uint64_t address) {
  for (const Region& region : regions) {
    if (address - region.base < region.size) return &region;
  }
  return nullptr;
}

}  // namespace

Launcher::Launcher(const Plan& plan, const Runtime& runtime) : plan_(plan), runtime_(runtime) {
  const Hsa& hsa = runtime.hsa;
  runtime.check(hsa.hsa_queue_create(runtime.gpu, plan.queue.size, plan.queue.type, queue_failed,
                                     nullptr, UINT32_MAX, UINT32_MAX, &queue_),
                "creating a queue");
  runtime.check(hsa.hsa_amd_profiling_set_profiler_enabled(queue_, 1), "switching timestamps on");
  runtime.check(hsa.hsa_signal_create(1, 0, nullptr, &done_), "creating a signal");
  advance_queue();
  if (plan.kernarg) {
    const Region* region = holding(plan.regions, plan.kernarg);
    if (!region) throw Failure("the arguments lie in no region");
    kernarg_ = reinterpret_cast<void*>(plan.kernarg);
    kernarg_on_host_ = region->host;
    return;
  }
  const Image arguments(plan.kernarg_file, 0);
  const size_t size = std::max<uint64_t>(arguments.size(), 16);
  hsa_agent_t gpu = runtime.gpu;
  runtime.check(hsa.hsa_amd_memory_pool_allocate(runtime.kernarg_pool, size, 0, &kernarg_),
                "memory for the arguments");
  runtime.check(hsa.hsa_amd_agents_allow_access(1, &gpu, nullptr, kernarg_),
                "access to the arguments");
  std::memcpy(kernarg_, arguments.data(), arguments.size());
}

// The packet is to lie in the slot of the ring that it had, behind completed ones, with a signal that
// was used before: a kernel that looks there must not learn that it is the first.
void Launcher::advance_queue() {
  const Hsa& hsa = runtime_.hsa;
  const uint64_t count = plan_.queue.index % queue_->size;
  if (count == 0) return;
  hsa.hsa_signal_store_relaxed(done_, static_cast<hsa_signal_value_t>(count));
  const uint64_t first = hsa.hsa_queue_add_write_index_screlease(queue_, count);
  for (uint64_t i = first; i < first + count; ++i) {
    auto* packet = static_cast<hsa_barrier_and_packet_t*>(queue_->base_address) + i % queue_->size;
    std::memset(reinterpret_cast<uint8_t*>(packet) + 2, 0, sizeof *packet - 2);
    packet->completion_signal = done_;
    __atomic_store_n(&packet->header, kBarrierHeader, __ATOMIC_RELEASE);
  }
  hsa.hsa_signal_store_screlease(queue_->doorbell_signal,
                                 static_cast<hsa_signal_value_t>(first + count - 1));
  wait();
}

Kernel Launcher::prepare(const Variant& variant) const {
  Kernel kernel;
  kernel.object = variant.kernel_object;
  kernel.private_bytes = variant.private_bytes;
  kernel.group_bytes = variant.group_bytes;
  if (variant.hsaco.empty()) return kernel;
  const Hsa& hsa = runtime_.hsa;
  kernel.file = std::make_unique<Image>(variant.hsaco, 1);
  hsa_code_object_reader_t reader{};
  hsa_executable_t executable{};
  hsa_executable_symbol_t symbol{};
  hsa_agent_t gpu = runtime_.gpu;
  runtime_.check(hsa.hsa_code_object_reader_create_from_memory(kernel.file->data(),
                                                               kernel.file->size(), &reader),
                 "reading " + variant.hsaco);
  runtime_.check(
      hsa.hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                    nullptr, &executable),
      "creating an executable");
  runtime_.check(
      hsa.hsa_executable_load_agent_code_object(executable, gpu, reader, nullptr, nullptr),
      "loading " + variant.hsaco);
  runtime_.check(hsa.hsa_executable_freeze(executable, nullptr), "freezing " + variant.hsaco);
  runtime_.check(
      hsa.hsa_executable_get_symbol_by_name(executable, variant.symbol.c_str(), &gpu, &symbol),
      "finding " + variant.symbol + " in " + variant.hsaco);
  runtime_.check(hsa.hsa_executable_symbol_get_info(
                     symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object),
                 "asking for " + variant.symbol);
  for (const Variable& variable : plan_.variables) {
    uint64_t address = 0;
    if (hsa.hsa_executable_get_symbol_by_name(executable, variable.name.c_str(), &gpu, &symbol) ==
        HSA_STATUS_SUCCESS) {
      hsa.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                         &address);
    }
    kernel.variables.push_back(address);
  }
  return kernel;
}

// Loaded code has variables of its own: they get what the captured ones held, and give back what the
// kernel made of it, so that it is compared like all other memory.
void Launcher::move_variables(const Kernel& kernel, bool into_kernel) const {
  for (size_t i = 0; i < kernel.variables.size(); ++i) {
    if (!kernel.variables[i]) continue;
    auto* own = reinterpret_cast<void*>(kernel.variables[i]);
    auto* captured = reinterpret_cast<void*>(plan_.variables[i].address);
    runtime_.copy(into_kernel ? own : captured, into_kernel ? captured : own,
                  plan_.variables[i].size);
  }
}

// The captured queue is gone; its address in the arguments is replaced while the kernel runs.
void Launcher::write_queue_pointers(bool ours) {
  auto* arguments = static_cast<uint8_t*>(kernarg_);
  for (size_t i = 0; i < plan_.queue_pointers.size(); ++i) {
    uint8_t* place = arguments + plan_.queue_pointers[i];
    if (captured_queue_pointers_.size() <= i) {
      runtime_.copy(&captured_queue_pointers_.emplace_back(), place, sizeof(uint64_t));
    }
    const uint64_t value = ours ? reinterpret_cast<uint64_t>(queue_) : captured_queue_pointers_[i];
    if (kernarg_on_host_) {
      std::memcpy(place, &value, sizeof value);
    } else {
      runtime_.copy(place, &value, sizeof value);
    }
  }
}

void Launcher::wait() const {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const Hsa& hsa = runtime_.hsa;
  while (hsa.hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 1, 100'000'000,
                                       HSA_WAIT_STATE_BLOCKED) >= 1) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > plan_.timeout) {
      std::fprintf(stderr, "the kernel did not end within %g s\n", plan_.timeout);
      std::_Exit(1);  // the device still works on it: there is no orderly end
    }
  }
}

double Launcher::run(const Kernel& kernel, const Shape& shape) {
  const Hsa& hsa = runtime_.hsa;
  move_variables(kernel, true);
  write_queue_pointers(true);
  hsa.hsa_signal_store_relaxed(done_, 1);
  const uint64_t index = hsa.hsa_queue_add_write_index_screlease(queue_, 1);
  auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address) +
                 index % queue_->size;  // one at a time: the slot is free
  packet->reserved0 = plan_.reserved0;
  packet->reserved2 = plan_.reserved2;
  packet->workgroup_size_x = shape.block[0];
  packet->workgroup_size_y = shape.block[1];
  packet->workgroup_size_z = shape.block[2];
  packet->grid_size_x = shape.grid[0];
  packet->grid_size_y = shape.grid[1];
  packet->grid_size_z = shape.grid[2];
  packet->private_segment_size = kernel.private_bytes;
  packet->group_segment_size = kernel.group_bytes + shape.more_group_bytes;
  packet->kernel_object = kernel.object;
  packet->kernarg_address = kernarg_;
  packet->completion_signal = done_;
  const uint32_t first_word = plan_.header | uint32_t{plan_.setup} << 16;
  __atomic_store_n(reinterpret_cast<uint32_t*>(packet), first_word, __ATOMIC_RELEASE);
  hsa.hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  wait();
  hsa_amd_profiling_dispatch_time_t time{};
  runtime_.check(hsa.hsa_amd_profiling_get_dispatch_time(runtime_.gpu, done_, &time),
                 "reading timestamps");
  write_queue_pointers(false);
  move_variables(kernel, false);
  return static_cast<double>(time.end - time.start) * runtime_.ticks_to_ns;
}

}  // namespace replay
