// Copying and filling memory, at once or through a copy engine.
#include <cstring>

#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/copy/copy_engine.h"
#include "hsa/memory/allocation.h"
#include "hsa/memory/vmem.h"

namespace vrocm {
namespace {

// The agent whose memory this is; plain host memory belongs to the CPU.
Agent& owner_of(const void* pointer) {
  Allocations registered;
  if (const Allocation* allocation = registered.find(pointer)) return *allocation->owner;
  hsa_amd_pointer_info_t info{};
  std::vector<Agent*> access;
  describe_vmem(pointer, info, access);
  Agent* owner = agent_from_handle(info.agentOwner);
  return owner ? *owner : *cpu_agent();
}

hsa_status_t gather_signals(uint32_t count, const hsa_signal_t* signals, hsa_signal_t completion,
                            CopyJob& job) {
  VROCM_REQUIRE_ARGUMENT(count == 0 || signals);
  for (uint32_t i = 0; i < count; ++i) {
    Signal* signal = Signal::from_handle(signals[i]);
    VROCM_REQUIRE(signal, HSA_STATUS_ERROR_INVALID_SIGNAL);
    job.dependencies.push_back(signal);
  }
  job.completion = Signal::from_handle(completion);
  VROCM_REQUIRE(job.completion, HSA_STATUS_ERROR_INVALID_SIGNAL);
  return HSA_STATUS_SUCCESS;
}

// The device reaches host memory by itself that somebody pinned or registered.
bool is_pageable(const void* pointer) {
  Allocations registered;
  if (registered.find(pointer)) return false;
  hsa_amd_pointer_info_t info{};
  std::vector<Agent*> access;
  describe_vmem(pointer, info, access);
  return !agent_from_handle(info.agentOwner);
}

// What the bytes of such a copy pass.
Link link_of(Link kind, const void* dst, const Agent& dst_agent, const void* src,
             const Agent& src_agent) {
  if (kind == Link::DeviceToDevice && &dst_agent != &src_agent) return Link::Peers;
  if (kind == Link::HostToDevice && is_pageable(src)) return Link::Pageable;
  if (kind == Link::DeviceToHost && is_pageable(dst)) return Link::Pageable;
  return kind;
}

CopyJob make_job(void* dst, Agent& dst_agent, const void* src, Agent& src_agent, size_t bytes) {
  CopyJob job{};
  const Link kind = link_between(dst_agent, src_agent);
  job.link = link_of(kind, dst, dst_agent, src, src_agent);
  job.record.kind = static_cast<VrocmCopyKind>(kind);
  job.record.dst_agent = dst_agent.handle();
  job.record.src_agent = src_agent.handle();
  job.record.dst = dst;
  job.record.src = src;
  job.record.bytes = bytes;
  job.record.correlation_id = vrocm_correlation();
  job.enqueued_ns = vrocm_host_now();
  return job;
}

Agent& engine_owner(Agent& dst, Agent& src) { return dst.is_gpu() ? dst : src; }

hsa_status_t copy_linear(void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent,
                         size_t size, uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                         hsa_signal_t completion_signal, int engine) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(dst && src);
  Agent* to = agent_from_handle(dst_agent);
  Agent* from = agent_from_handle(src_agent);
  VROCM_REQUIRE(to && from, HSA_STATUS_ERROR_INVALID_AGENT);
  CopyJob job = make_job(dst, *to, src, *from, size);
  const hsa_status_t status = gather_signals(num_dep_signals, dep_signals, completion_signal, job);
  if (status != HSA_STATUS_SUCCESS || size == 0) return status;
  job.copy = [dst, src, size] { std::memmove(dst, src, size); };
  const int usual = engine_for(link_between(*to, *from));
  submit_copy(engine_owner(*to, *from), engine < 0 ? usual : engine, std::move(job));
  return HSA_STATUS_SUCCESS;
}

struct Rect {
  uint8_t* dst;
  const uint8_t* src;
  size_t dst_pitch, dst_slice, src_pitch, src_slice;
  hsa_dim3_t range;

  void copy() const {
    for (uint32_t z = 0; z < range.z; ++z) {
      for (uint32_t y = 0; y < range.y; ++y) {
        std::memmove(dst + z * dst_slice + y * dst_pitch, src + z * src_slice + y * src_pitch,
                     range.x);
      }
    }
  }
};

}  // namespace

namespace api {

hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(dst && src);
  if (size == 0) return HSA_STATUS_SUCCESS;
  Agent &to = owner_of(dst), &from = owner_of(src);
  std::memmove(dst, src, size);
  vrocm_host_advance(copy_duration_ns(link_of(link_between(to, from), dst, to, src, from), size));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && reinterpret_cast<uint64_t>(ptr) % 4 == 0);
  auto* words = static_cast<uint32_t*>(ptr);
  for (size_t i = 0; i < count; ++i) words[i] = value;
  const bool device = owner_of(ptr).is_gpu();
  vrocm_host_advance(copy_duration_ns(device ? Link::DeviceToDevice : Link::HostToHost, count * 4));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src,
                                       hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                       const hsa_signal_t* dep_signals,
                                       hsa_signal_t completion_signal) {
  return copy_linear(dst, dst_agent, src, src_agent, size, num_dep_signals, dep_signals,
                     completion_signal, -1);
}

hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size,
                                                 uint32_t num_dep_signals,
                                                 const hsa_signal_t* dep_signals,
                                                 hsa_signal_t completion_signal,
                                                 hsa_amd_sdma_engine_id_t engine_id, bool) {
  const auto bits = static_cast<uint32_t>(engine_id);
  VROCM_REQUIRE_ARGUMENT(bits && (bits & (bits - 1)) == 0 && bits < (1u << kSdmaEngineCount));
  return copy_linear(dst, dst_agent, src, src_agent, size, num_dep_signals, dep_signals,
                     completion_signal, __builtin_ctz(bits));
}

hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                               uint32_t* engine_ids_mask) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(engine_ids_mask);
  Agent* dst = agent_from_handle(dst_agent);
  Agent* src = agent_from_handle(src_agent);
  VROCM_REQUIRE(dst && src, HSA_STATUS_ERROR_INVALID_AGENT);
  *engine_ids_mask = idle_engines(engine_owner(*dst, *src));
  return *engine_ids_mask ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                                      uint32_t* recommended_ids_mask) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(recommended_ids_mask);
  const Agent* dst = agent_from_handle(dst_agent);
  const Agent* src = agent_from_handle(src_agent);
  VROCM_REQUIRE(dst && src, HSA_STATUS_ERROR_INVALID_AGENT);
  *recommended_ids_mask = 0;  // no engine is better than another
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy_rect(
    const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset, const hsa_pitched_ptr_t* src,
    const hsa_dim3_t* src_offset, const hsa_dim3_t* range, hsa_agent_t copy_agent,
    hsa_amd_copy_direction_t dir, uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
    hsa_signal_t completion_signal) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(dst && dst_offset && src && src_offset && range);
  VROCM_REQUIRE_ARGUMENT(dir >= hsaHostToHost && dir <= hsaDeviceToDevice);
  Agent* agent = agent_from_handle(copy_agent);
  VROCM_REQUIRE(agent && agent->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  const auto start = [](const hsa_pitched_ptr_t& pitched, const hsa_dim3_t& offset) {
    return static_cast<uint8_t*>(pitched.base) + offset.z * pitched.slice +
           offset.y * pitched.pitch + offset.x;
  };
  const Rect rect{start(*dst, *dst_offset),
                  start(*src, *src_offset),
                  dst->pitch,
                  dst->slice,
                  src->pitch,
                  src->slice,
                  *range};
  Agent& to = dir == hsaHostToDevice || dir == hsaDeviceToDevice ? *agent : *cpu_agent();
  Agent& from = dir == hsaDeviceToHost || dir == hsaDeviceToDevice ? *agent : *cpu_agent();
  const size_t bytes = size_t{range->x} * range->y * range->z;
  CopyJob job = make_job(rect.dst, to, rect.src, from, bytes);
  const hsa_status_t status = gather_signals(num_dep_signals, dep_signals, completion_signal, job);
  if (status != HSA_STATUS_SUCCESS || bytes == 0) return status;
  job.copy = [rect] { rect.copy(); };
  submit_copy(*agent, engine_for(link_between(to, from)), std::move(job));
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
