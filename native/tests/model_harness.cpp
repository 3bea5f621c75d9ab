// The parts of the counting model that have no state, for the tests to compare with references.
#include <algorithm>
#include <cstring>

#include "../vgpu/model/event_queue.h"
#include "../vgpu/model/lane_loops.h"
#include "../vgpu/model/requests.h"

extern "C" {

struct ModelRequests {
  uint64_t requests[vgpu::model::kMostRequests];
  uint8_t sectors[vgpu::model::kMostRequests];
  uint32_t count, tag_accesses, lane_requests, translations, conflicts;
};

void model_coalesce(const uint64_t* addresses, uint64_t exec, uint32_t bytes, ModelRequests* out) {
  vgpu::model::Coalesced requests;
  vgpu::model::coalesce(addresses, exec, bytes, 0, requests);
  std::copy(requests.requests, requests.requests + requests.count, out->requests);
  std::copy(requests.sectors, requests.sectors + requests.count, out->sectors);
  out->count = requests.count;
  out->tag_accesses = requests.tag_accesses;
  out->lane_requests = requests.lane_requests;
  out->translations = requests.translations;
  out->conflicts = requests.conflicts;
}

struct ModelLdsCycles {
  uint32_t active, conflicts, same_address, unaligned;
};

void model_lds_cycles(const uint64_t* addresses, uint64_t exec, uint32_t bytes, bool atomic,
                      ModelLdsCycles* out) {
  vgpu::LaneAccess access;
  access.shape = {atomic ? vgpu::Touch::Atomic : vgpu::Touch::Read, bytes, 0};
  access.exec = exec;
  std::memcpy(access.at, addresses, sizeof access.at);
  access.row = vgpu::model::lane_loops().in_a_row(addresses, exec, bytes);
  vgpu::model::LdsCycles cycles = vgpu::model::lds_cycles(access);
  *out = {cycles.active, cycles.conflicts, cycles.same_address, cycles.unaligned};
}

// The first `begun` waves are due at these times, each other one as long after the event that is
// taken when it comes in; writes the order in which waves are taken.
void model_event_order(const double* times, uint32_t waves, uint32_t begun, uint32_t* order) {
  vgpu::model::EventQueue events(waves);
  for (uint32_t wave = 0; wave < begun; ++wave) events.push({times[wave], wave});
  for (uint32_t next = begun; !events.empty();) {
    const double due = events.next_time();
    *order++ = events.pop().wave;
    if (next < waves) events.push({due + times[next], next});
    next += next < waves;
  }
}

}  // extern "C"
