#include "hip/launch/launch.h"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hip/core/clock.h"
#include "hip/core/device_services.h"
#include "hip/core/runtime.h"
#include "hip/device/device_properties.h"
#include "hip/launch/counter_refusal.h"

namespace vgpu::hip {
namespace {

constexpr uint16_t kDispatchHeader =
    HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

// What hidden_multigrid_sync_arg points to: how the grids of a cooperative launch find each other.
// The device library knows this layout.
struct GridInformation {
  uint64_t all_grids;  // address of a pair of words for the barrier over all grids
  uint32_t grid, grids;
  uint64_t items_before, items;
  uint32_t own_barrier[2];
  uint32_t workgroups, unused;
  uint32_t all_barrier[2];
};
constexpr size_t kKernargTail = 128;

// Kernels that call through pointers or recurse get at least the stack that the program asked for.
uint32_t private_bytes(const Function& function) {
  size_t stack = 0;
  if (function.metadata.dynamic_stack) (void)get_device_limit(hipLimitStackSize, &stack);
  return std::max(function.private_bytes, static_cast<uint32_t>(stack));
}

bool is_hidden(const KernelArgument& argument) { return argument.kind.rfind("hidden_", 0) == 0; }

void store(uint8_t* kernarg, const KernelArgument& argument, uint64_t value) {
  std::memcpy(kernarg + argument.offset, &value, argument.size < 8 ? argument.size : 8);
}

int axis_of(const std::string& kind) { return kind.back() - 'x'; }

hsa_kernel_dispatch_packet_t* reserve_packet(hsa_queue_t* queue, uint64_t& index) {
  index = hsa_queue_add_write_index_screlease(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
  }
  return static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address) +
         (index & (queue->size - 1));
}

}  // namespace

hipError_t make_shape(const Function& function, dim3 blocks, dim3 block, size_t dynamic_lds,
                      LaunchShape& shape) {
  const uint32_t counts[] = {blocks.x, blocks.y, blocks.z};
  const uint32_t sizes[] = {block.x, block.y, block.z};
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    uint64_t items = uint64_t{counts[i]} * sizes[i];
    if (items == 0) return hipErrorInvalidValue;
    if (items > UINT32_MAX) return hipErrorInvalidConfiguration;
    threads *= sizes[i];
    if (threads > kMostThreadsPerBlock) return hipErrorInvalidConfiguration;
    shape.grid[i] = static_cast<uint32_t>(items);
    shape.block[i] = sizes[i];
  }
  if (threads > function.metadata.max_workgroup_size) return hipErrorLaunchFailure;
  if (dynamic_lds > kLdsBytes || function.static_lds + dynamic_lds > kLdsBytes)
    return hipErrorInvalidValue;
  shape.dynamic_lds = static_cast<uint32_t>(dynamic_lds);
  return hipSuccess;
}

bool takes_arguments(const KernelMetadata& kernel) {
  return !std::all_of(kernel.arguments.begin(), kernel.arguments.end(), is_hidden);
}

std::vector<uint8_t> pack_arguments(const KernelMetadata& kernel, void** pointers) {
  std::vector<uint8_t> packed(kernel.argument_end());
  size_t next = 0;
  for (const KernelArgument& argument : kernel.arguments) {
    if (is_hidden(argument)) continue;
    std::memcpy(packed.data() + argument.offset, pointers[next++], argument.size);
  }
  return packed;
}

hipError_t unpack_extra(void** extra, std::vector<uint8_t>& packed) {
  const void* buffer = nullptr;
  size_t bytes = 0;
  for (size_t i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[i + 1];
    else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<size_t*>(extra[i + 1]);
    else return hipErrorInvalidValue;
  }
  if (bytes && !buffer) return hipErrorInvalidValue;
  const auto* data = static_cast<const uint8_t*>(buffer);
  packed.assign(data, data + bytes);
  return hipSuccess;
}

void KernelTask::fill_hidden(uint8_t* kernarg, Stream& stream) const {
  const uint32_t* grid = shape.grid;
  const uint32_t* block = shape.block;
  for (const KernelArgument& argument : function->metadata.arguments) {
    const std::string& kind = argument.kind;
    if (!is_hidden(argument)) continue;
    if (kind.rfind("hidden_block_count_", 0) == 0)
      store(kernarg, argument, grid[axis_of(kind)] / block[axis_of(kind)]);
    else if (kind.rfind("hidden_group_size_", 0) == 0)
      store(kernarg, argument, block[axis_of(kind)]);
    else if (kind.rfind("hidden_remainder_", 0) == 0)
      store(kernarg, argument, grid[axis_of(kind)] % block[axis_of(kind)]);
    else if (kind == "hidden_grid_dims")
      store(kernarg, argument, grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1);
    else if (kind == "hidden_dynamic_lds_size") store(kernarg, argument, shape.dynamic_lds);
    else if (kind == "hidden_multigrid_sync_arg")
      store(kernarg, argument, grid_information(kernarg + function->kernarg_bytes));
    else if (kind == "hidden_queue_ptr")
      store(kernarg, argument, reinterpret_cast<uint64_t>(stream.queue()));
    else store(kernarg, argument, service_argument(kind, *function, stream));
  }
}

// 0 for an ordinary launch, whose kernels must not synchronize over the grid.
uint64_t KernelTask::grid_information(uint8_t* after_arguments) const {
  if (!shape.cooperative) return 0;
  const auto place = (reinterpret_cast<uint64_t>(after_arguments) + 63) & ~uint64_t{63};
  GridInformation information{};
  information.all_grids = place + offsetof(GridInformation, all_barrier);
  information.grids = 1;
  information.items = information.workgroups = 1;
  for (int i = 0; i < 3; ++i) {
    information.items *= shape.grid[i];
    information.workgroups *= shape.grid[i] / shape.block[i];
  }
  std::memcpy(reinterpret_cast<void*>(place), &information, sizeof information);
  return place;
}

uint64_t KernelTask::run(Stream& stream) const {
  abort_if_counters_are_refused(function->metadata.name);
  auto* kernarg = static_cast<uint8_t*>(stream.kernarg(function->kernarg_bytes + kKernargTail));
  std::memset(kernarg, 0, function->kernarg_bytes);
  std::memcpy(kernarg, arguments.data(),
              std::min<size_t>(arguments.size(), function->kernarg_bytes));
  fill_hidden(kernarg, stream);

  hsa_queue_t* queue = stream.queue();
  hsa_signal_t done = stream.signal();
  hsa_signal_store_relaxed(done, 1);
  uint64_t index;
  hsa_kernel_dispatch_packet_t* packet = reserve_packet(queue, index);
  // The header is written last: until then the packet belongs to us.
  std::memset(reinterpret_cast<uint8_t*>(packet) + 4, 0, sizeof *packet - 4);
  packet->workgroup_size_x = static_cast<uint16_t>(shape.block[0]);
  packet->workgroup_size_y = static_cast<uint16_t>(shape.block[1]);
  packet->workgroup_size_z = static_cast<uint16_t>(shape.block[2]);
  packet->grid_size_x = shape.grid[0];
  packet->grid_size_y = shape.grid[1];
  packet->grid_size_z = shape.grid[2];
  packet->private_segment_size = private_bytes(*function);
  packet->group_segment_size = function->static_lds + shape.dynamic_lds;
  packet->kernel_object = function->kernel_object;
  packet->kernarg_address = kernarg;
  packet->completion_signal = done;
  uint32_t first_word = kDispatchHeader | 3u << (16 + HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
  __atomic_store_n(reinterpret_cast<uint32_t*>(packet), first_word, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  finish_services(stream);
  return vrocm_signal_time(done);
}

}  // namespace vgpu::hip
