#include "hsa/queue/dispatch.h"

#include "arch/structure.h"
#include "device/device.h"
#include "hsa/base/gfx942.h"
#include "hsa/code/kernel_registry.h"
#include "hsa/queue/device_calendar.h"
#include "hsa/queue/poison.h"
#include "hsa/trace/trace_sink.h"
#include "model/ideal/ideal.h"
#include "model/noise.h"

namespace vrocm {

DispatchProblem check_dispatch(const hsa_kernel_dispatch_packet_t& packet) {
  const uint32_t dimensions = packet.setup & 3;
  if (dimensions == 0) {
    return {HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "a dispatch without dimensions"};
  }
  const uint64_t workgroup =
      uint64_t{packet.workgroup_size_x} * packet.workgroup_size_y * packet.workgroup_size_z;
  if (workgroup == 0 || workgroup > gfx942::kWorkgroupMaxSize) {
    return {HSA_STATUS_ERROR_INVALID_ARGUMENT, "a workgroup size that is not 1 to 1024"};
  }
  if (packet.grid_size_x == 0 || packet.grid_size_y == 0 || packet.grid_size_z == 0) {
    return {HSA_STATUS_ERROR_INVALID_ARGUMENT, "an empty grid"};
  }
  if (packet.group_segment_size > gfx942::kLdsBytes) {
    return {HSA_STATUS_ERROR_INVALID_ALLOCATION, "more than 64 KiB of LDS"};
  }
  if (packet.kernel_object == 0) {
    return {HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "a null kernel object"};
  }
  return {HSA_STATUS_SUCCESS, nullptr};
}

static vgpu::DispatchResult execute(const vgpu::DispatchRequest& request) {
  const KernelExecutes executes;
  return vgpu::run_dispatch(request);
}

// Whoever counts or traces a kernel lets it have the device for itself, and an idle queue.
static bool is_observed(const vgpu::DispatchResult& result) {
  return !result.counters.empty() || !result.thread_trace.empty();
}

static uint64_t duration_of(const vgpu::DispatchResult& result, bool follows) {
  const bool hands_over =
      follows && !is_observed(result) && !vgpu::model::ideals().has(vgpu::model::Ideal::Launch);
  return result.duration_ns + (hands_over ? uint64_t{vgpu::arch::calibration::kHandOverNs} : 0);
}

static vgpu::model::Demand demand_in(uint64_t duration, const vgpu::DispatchResult& result) {
  vgpu::model::Demand demand = result.demand;
  if (duration > 0 && result.duration_ns > 0)
    demand.stretch(double(duration) / double(result.duration_ns));
  if (is_observed(result)) demand.of(vgpu::model::Shared::Room) = 1;
  demand.limit();
  return demand;
}

KernelSpan run_kernel(const hsa_kernel_dispatch_packet_t& packet, Queue& queue, uint64_t index,
                      KernelTurn turn) {
  const KernelIdentity kernel = identify_kernel(packet.kernel_object);
  const vgpu::DispatchRequest request{&packet,
                                      reinterpret_cast<uint64_t>(queue.handle()),
                                      index,
                                      packet.kernel_object,
                                      kernel.name.c_str(),
                                      kernel.argument_bytes,
                                      queue.agent().node};
  poison_before(packet, kernel);
  const vgpu::DispatchResult result = execute(request);
  const uint64_t duration =
      vgpu::model::with_noise(duration_of(result, turn.follows), queue.id(), index);
  const KernelSpan span =
      settle_kernel({queue.agent().handle().handle, queue.id(), turn.correlation, turn.start_ns,
                     duration, demand_in(duration, result)});
  VrocmDispatchRecord record{};
  record.queue_id = queue.id();
  record.packet_index = index;
  record.agent = queue.agent().handle();
  record.correlation_id = turn.correlation;
  record.kernel_object = packet.kernel_object;
  record.kernel_id = kernel.id;
  record.kernel_name = kernel.name.c_str();
  record.start_ns = span.start;
  record.end_ns = span.end;
  record.grid[0] = packet.grid_size_x;
  record.grid[1] = packet.grid_size_y;
  record.grid[2] = packet.grid_size_z;
  record.workgroup[0] = packet.workgroup_size_x;
  record.workgroup[1] = packet.workgroup_size_y;
  record.workgroup[2] = packet.workgroup_size_z;
  record.group_segment_size = packet.group_segment_size;
  record.private_segment_size = packet.private_segment_size;
  record.wave_instructions = result.wave_instructions;
  record.counters = result.counters.empty() ? nullptr : result.counters.c_str();
  record.thread_trace = result.thread_trace.empty() ? nullptr : result.thread_trace.c_str();
  if (result.simulated_ns < result.duration_ns) {
    record.bound = vgpu::model::name_of(result.bounds.largest());
    record.bound_ns = result.duration_ns;
    record.simulated_ns = result.simulated_ns;
  }
  trace_dispatch(record);
  return span;
}

}  // namespace vrocm
