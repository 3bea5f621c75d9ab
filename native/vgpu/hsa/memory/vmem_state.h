// The objects behind virtual memory management, shared by vmem.cpp and vmem_api.cpp. Every
// function expects vmem().mutex to be held.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "hsa/agent/agent.h"

namespace vrocm {

struct PhysicalMemory {  // a handle
  Pool* pool;
  size_t bytes;
  hsa_amd_memory_type_t type;
  int fd;  // its content is a file, which may be mapped several times
  int references = 1;
  int mappings = 0;
};

struct Reservation {
  size_t bytes;
  bool in_aperture;  // else mapped from the system, at os_base
  uint64_t os_base;
  size_t os_bytes;
  int mappings = 0;
};

struct Mapping {
  size_t bytes;
  PhysicalMemory* memory;
  Reservation* reservation;
  std::map<Agent*, hsa_access_permission_t> access;
};

struct Vmem {
  std::mutex mutex;
  std::map<uint64_t, Reservation> reservations;                  // by address
  std::map<uint64_t, Mapping> mappings;                          // by address
  std::map<uint64_t, std::unique_ptr<PhysicalMemory>> memories;  // by handle
};

Vmem& vmem();
using MappingAt = std::map<uint64_t, Mapping>::iterator;

// The entry whose [key, key + bytes) holds the whole range, or end().
template <typename Map>
typename Map::iterator holding(Map& map, uint64_t address, size_t bytes) {
  auto it = map.upper_bound(address);
  if (it == map.begin()) return map.end();
  --it;
  const uint64_t within = address - it->first;
  return within < it->second.bytes && bytes <= it->second.bytes - within ? it : map.end();
}

// The wanted address inside the aperture or, when free, anywhere else in the address space.
bool reserve_wanted(uint64_t address, size_t bytes, Reservation& reservation);
// ROCr's NO_REGISTER: plain host memory, readable and writable at once. 0 when there is none.
uint64_t reserve_plain(uint64_t hint, size_t bytes, size_t alignment, Reservation& reservation);

PhysicalMemory* memory_from(hsa_amd_vmem_alloc_handle_t handle);  // null: no such handle
hsa_amd_vmem_alloc_handle_t adopt(const PhysicalMemory& memory);
void release_if_unused(hsa_amd_vmem_alloc_handle_t handle);
hsa_amd_vmem_alloc_handle_t handle_of(const PhysicalMemory* memory);

bool overlaps_mapping(uint64_t address, size_t bytes);
// All mappings that together are exactly [address, address + bytes), or none.
std::vector<MappingAt> mappings_of(uint64_t address, size_t bytes);
hsa_status_t change_access(uint64_t address, Mapping& mapping, Agent* agent,
                           hsa_access_permission_t permission);
void unmap_one(MappingAt at);

}  // namespace vrocm
