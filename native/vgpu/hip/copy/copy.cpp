#include "hip/copy/copy.h"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstring>
#include <memory>

#include "arch/structure.h"
#include "hip/copy/host_waits.h"
#include "hip/core/clock.h"
#include "hip/core/graph_capture.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"
#include "hip/record/recorder.h"

namespace vgpu::hip {
namespace {

// Every stream copies on an engine of its own, so that times do not depend on which of two streams
// really came first. Beyond sixteen streams engines are shared.
constexpr uint64_t kCopyEngines = 16;

hsa_agent_t agent_of(const void* address) {
  std::optional<Allocation> known = MemoryMap::get().find(address);
  Runtime& runtime = Runtime::get();
  if (!known || !is_device_kind(known->kind)) return runtime.cpu();
  return runtime.device(known->device).agent;
}

// One line through the HSA copy engine, so that tools see it and it takes modelled time.
uint64_t copy_line(Stream& stream, void* target, const void* source, size_t bytes) {
  if (bytes == 0) return vrocm_host_now();
  hsa_signal_t done = stream.signal();
  hsa_signal_store_relaxed(done, 1);
  auto engine = static_cast<hsa_amd_sdma_engine_id_t>(1u << stream.id() % kCopyEngines);
  hsa_status_t status = hsa_amd_memory_async_copy_on_engine(
      target, agent_of(target), source, agent_of(source), bytes, 0, nullptr, done, engine, false);
  if (status != HSA_STATUS_SUCCESS) {
    std::memcpy(target, source, bytes);
    return vrocm_host_now();
  }
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  return vrocm_signal_time(done);
}

// For shapes the copy engine refuses (a pitch that is not a multiple of four, for example).
uint64_t copy_rows(const CopyTask& task) {
  const Box& box = task.box;
  for (size_t z = 0; z < box.slices; ++z)
    for (size_t y = 0; y < box.rows; ++y)
      std::memcpy(
          static_cast<uint8_t*>(task.target) + z * box.target_slice + y * box.target_pitch,
          static_cast<const uint8_t*>(task.source) + z * box.source_slice + y * box.source_pitch,
          box.bytes);
  return vrocm_host_now();
}

hsa_amd_copy_direction_t direction(const void* target, const void* source) {
  bool to_device = is_device_address(target), from_device = is_device_address(source);
  if (to_device) return from_device ? hsaDeviceToDevice : hsaHostToDevice;
  return from_device ? hsaDeviceToHost : hsaHostToHost;
}

uint64_t copy_box(Stream& stream, const CopyTask& task) {
  const Box& box = task.box;
  hsa_pitched_ptr_t to{task.target, box.target_pitch, box.target_slice};
  hsa_pitched_ptr_t from{const_cast<void*>(task.source), box.source_pitch, box.source_slice};
  hsa_dim3_t origin{0, 0, 0};
  hsa_dim3_t range{static_cast<uint32_t>(box.bytes), static_cast<uint32_t>(box.rows),
                   static_cast<uint32_t>(box.slices)};
  hsa_signal_t done = stream.signal();
  hsa_signal_store_relaxed(done, 1);
  hsa_status_t status =
      hsa_amd_memory_async_copy_rect(&to, &origin, &from, &origin, &range, stream.device().agent,
                                     direction(task.target, task.source), 0, nullptr, done);
  if (status != HSA_STATUS_SUCCESS) return copy_rows(task);
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  return vrocm_signal_time(done);
}

bool is_one_line(const Box& box) {
  return box.slices == 1 &&
         (box.rows == 1 || (box.target_pitch == box.bytes && box.source_pitch == box.bytes));
}

size_t reach(const Box& box, size_t pitch, size_t slice) {
  if (box.bytes == 0 || box.rows == 0 || box.slices == 0) return 0;
  return (box.slices - 1) * slice + (box.rows - 1) * pitch + box.bytes;
}

// Work of the legacy default stream would wait for the stream that is captured.
hipError_t capture_forbids_copying(hipStream_t stream) {
  if (!stream || stream == hipStreamLegacy)
    if (hipError_t status = capture_forbids_default_stream()) return status;
  return capture_forbids_waiting();
}

bool direction_is_known(hipMemcpyKind kind) {
  return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) ||
         kind == hipMemcpyDeviceToDeviceNoCU;
}

}  // namespace

Box line(size_t bytes) {
  Box box;
  box.bytes = bytes;
  box.target_pitch = box.source_pitch = bytes;
  return box;
}

bool has_room(const void* target, const void* source, const Box& box) {
  return range_is_valid(target, reach(box, box.target_pitch, box.target_slice)) &&
         range_is_valid(source, reach(box, box.source_pitch, box.source_slice));
}

CopyTask::CopyTask(void* target, const void* source, const Box& box, hipMemcpyKind kind)
    : target(target),
      source(source),
      box(box),
      to_device(is_device_address(target)),
      from_device(is_device_address(source)),
      kind(kind) {}

uint64_t CopyTask::run(Stream& stream) const {
  if (is_one_line(box)) return copy_line(stream, target, source, box.bytes * box.rows);
  return copy_box(stream, *this);
}

uint64_t FillTask::run(Stream& stream) const {
  for (size_t z = 0; z < box.slices; ++z)
    for (size_t y = 0; y < box.rows; ++y) {
      auto* to = static_cast<uint8_t*>(target) + z * box.target_slice + y * box.target_pitch;
      if (element_bytes == 1) {
        std::memset(to, static_cast<int>(value), box.bytes);
      } else {
        for (size_t i = 0; i + element_bytes <= box.bytes; i += element_bytes)
          std::memcpy(to + i, &value, element_bytes);
      }
    }
  const uint64_t bytes = box.bytes * box.rows * box.slices;
  const uint64_t start = vrocm_host_now();
  const uint64_t end =
      start + arch::calibration::kFillSetupNs + bytes / arch::calibration::kFillBytesPerNs;
  record_fill(target, bytes, stream.device().agent, start, end);
  return end;
}

bool same_direction(const Task* first, const Task* second) {
  const auto* one = dynamic_cast<const CopyTask*>(first);
  const auto* other = dynamic_cast<const CopyTask*>(second);
  return !one || !other ||
         (one->to_device == other->to_device && one->from_device == other->from_device);
}

bool same_named_direction(const Task* first, const Task* second) {
  const auto* one = dynamic_cast<const CopyTask*>(first);
  const auto* other = dynamic_cast<const CopyTask*>(second);
  return !one || !other || one->kind == other->kind;
}

hipError_t copy(hipStream_t stream, void* target, const void* source, const Box& box,
                hipMemcpyKind kind, bool synchronous) {
  if (!direction_is_known(kind)) return hipErrorInvalidMemcpyDirection;
  if (box.bytes == 0 || box.rows == 0 || box.slices == 0) return hipSuccess;
  if (!target || !source) return hipErrorInvalidValue;
  if (!has_room(target, source, box)) return hipErrorInvalidValue;
  if (is_pageable_host(target) && is_pageable_host(source) && kind != hipMemcpyHostToHost &&
      kind != hipMemcpyDefault)
    return hipErrorInvalidValue;
  if (synchronous)
    if (hipError_t status = capture_forbids_copying(stream)) return status;
  // Asked before: a task that runs may free what it is about.
  const bool wait = copy_holds_host(target, source, synchronous);
  CompletionPtr point;
  hipError_t status = submit(stream, std::make_shared<CopyTask>(target, source, box, kind), &point);
  if (status == hipSuccess && wait && point) vrocm_host_advance_to(point->wait());
  return status;
}

hipError_t copy_to_peer(void* target, int target_device, const void* source, const Box& box) {
  if (hipError_t status = copy(nullptr, target, source, box, hipMemcpyDeviceToDevice, false))
    return status;
  Runtime& runtime = Runtime::get();
  if (CompletionPtr point = runtime.current().default_stream->last())
    runtime.device(target_device).default_stream->submit(nullptr, {point});
  return hipSuccess;
}

hipError_t fill(hipStream_t stream, void* target, uint32_t value, unsigned element_bytes,
                const Box& box, bool synchronous) {
  if (box.bytes == 0 || box.rows == 0 || box.slices == 0) return hipSuccess;
  if (!is_inside_allocation(target, reach(box, box.target_pitch, box.target_slice)))
    return hipErrorInvalidValue;
  if (synchronous)
    if (hipError_t status = capture_forbids_copying(stream)) return status;
  const bool wait = fill_holds_host(target, synchronous);
  CompletionPtr point;
  hipError_t status =
      submit(stream, std::make_shared<FillTask>(target, value, element_bytes, box), &point);
  if (status == hipSuccess && wait && point) vrocm_host_advance_to(point->wait());
  return status;
}

}  // namespace vgpu::hip
