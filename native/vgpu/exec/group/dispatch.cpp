#include "exec/group/dispatch.h"

#include <cstring>

#include "observe/access.h"

namespace vgpu {
namespace {

// A preloaded kernel has a prologue of this size for firmware that does not preload; we do.
constexpr uint64_t kPreloadPrologueBytes = 256;

KernelDescriptor descriptor_at(uint64_t address) {
  KernelDescriptor kernel;
  std::memcpy(&kernel, reinterpret_cast<const void*>(address), sizeof kernel);
  return kernel;
}

}  // namespace

Dispatch::Dispatch(const DispatchRequest& wanted, uint64_t now_ns)
    : request(wanted),
      packet(static_cast<const AqlDispatchPacket*>(wanted.packet)),
      kernel(descriptor_at(wanted.kernel_object)),
      kernel_name(wanted.kernel_name ? wanted.kernel_name : "(unnamed kernel)"),
      entry(wanted.kernel_object + uint64_t(kernel.entry_offset)),
      lds_bytes(packet->group_segment_size),
      scratch_bytes((packet->private_segment_size + 3) & ~3u),
      start_ns(now_ns) {
  if (kernel.preload_dwords()) entry += kPreloadPrologueBytes;
  code = find_code(entry);
  coverage = cover::begin(covered());
  for (int d = 0; d < 3; ++d) {
    uint32_t size = packet->workgroup_size[d];
    groups[d] = size ? (packet->grid_size[d] + size - 1) / size : 0;
    group_total *= groups[d];
  }
}

// What the launch brings along is no input of the program, and code none of its data.
cover::Subject Dispatch::covered() const {
  const uint64_t packet_at = reinterpret_cast<uint64_t>(packet);
  cover::Subject subject{
      kernel_name,
      request.kernel_object + uint64_t(kernel.entry_offset),
      {{packet_at, packet_at + sizeof *packet},
       {packet->kernarg_address, packet->kernarg_address + request.argument_bytes}}};
  if (code) subject.left_out.push_back({code->base(), code->base() + code->bytes()});
  return subject;
}

uint32_t Dispatch::waves_per_group() const {
  uint64_t items = 1;
  for (uint16_t size : packet->workgroup_size) items *= size;
  return uint32_t((items + kLanes - 1) / kLanes);
}

}  // namespace vgpu
