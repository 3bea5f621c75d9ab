#include "places.h"

#include <sys/mman.h>

#include <algorithm>

namespace replay {
namespace {

uint64_t down(uint64_t address) { return address / kPage * kPage; }
uint64_t up(uint64_t address) { return down(address + kPage - 1); }

void* map_at(uint64_t base, uint64_t size, int protection) {
  return mmap(reinterpret_cast<void*>(base), size, protection,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

void occupy_host(Place& place, const Runtime& runtime) {
  void* there = reinterpret_cast<void*>(place.base);
  if (place.held) {
    mprotect(there, place.size, PROT_READ | PROT_WRITE);
  } else if (map_at(place.base, place.size, PROT_READ | PROT_WRITE) != there) {
    place.problem = "the address is in use";
    return;
  }
  void* device = nullptr;
  hsa_agent_t gpu = runtime.gpu;
  const hsa_status_t status = runtime.hsa.hsa_amd_memory_lock(there, place.size, &gpu, 1, &device);
  if (status != HSA_STATUS_SUCCESS) place.problem = "the device gets no access to it";
  place.got = reinterpret_cast<uint64_t>(device);
}

void occupy_device(Place& place, const Runtime& runtime) {
  const Hsa& hsa = runtime.hsa;
  void* got = nullptr;
  if (place.base % runtime.granule || place.size % runtime.granule) {
    place.problem = "this device maps memory in pieces of " + std::to_string(runtime.granule);
    return;
  }
  if (place.held) munmap(reinterpret_cast<void*>(place.base), place.size);
  if (hsa.hsa_amd_vmem_address_reserve(&got, place.size, place.base, 0) != HSA_STATUS_SUCCESS) {
    place.problem = "the runtime refuses to reserve it";
    return;
  }
  place.got = reinterpret_cast<uint64_t>(got);
  if (place.got != place.base) return;  // the runtime reports success elsewhere: not good enough
  hsa_amd_vmem_alloc_handle_t memory{};
  const hsa_amd_memory_access_desc_t access{HSA_ACCESS_PERMISSION_RW, runtime.gpu};
  if (hsa.hsa_amd_vmem_handle_create(runtime.device_pool, place.size, MEMORY_TYPE_NONE, 0,
                                     &memory) != HSA_STATUS_SUCCESS) {
    place.problem = "the device has not enough memory";
  } else if (hsa.hsa_amd_vmem_map(got, place.size, 0, memory, 0) != HSA_STATUS_SUCCESS) {
    place.problem = "the memory cannot be mapped there";
  } else if (hsa.hsa_amd_vmem_set_access(got, place.size, &access, 1) != HSA_STATUS_SUCCESS) {
    place.problem = "the device gets no access to it";
  }
}

}  // namespace

// Neighbours on touching pages become one place, except code: it is decoded and mapped for itself.
std::vector<Place> places_of(const std::vector<Region>& regions) {
  std::vector<Place> places;
  for (const Region& region : regions) {
    const uint64_t base = down(region.base), end = up(region.base + region.size);
    if (!places.empty()) {
      Place& last = places.back();
      const uint64_t last_end = last.base + last.size;
      const bool shares_page = base < last_end;
      const bool alike = last.host == region.host && last.code == region.code && !region.code;
      if (shares_page || (base == last_end && alike)) {
        last.size = std::max(last_end, end) - last.base;
        continue;
      }
    }
    places.push_back({base, end - base, region.host, region.code, false, 0, {}});
  }
  return places;
}

bool hold(std::vector<Place>& places) {
  for (Place& place : places) {
    place.held = map_at(place.base, place.size, PROT_NONE) == reinterpret_cast<void*>(place.base);
    if (!place.held) return false;
  }
  return true;
}

void occupy(std::vector<Place>& places, const Runtime& runtime) {
  for (Place& place : places) {
    if (place.host) {
      occupy_host(place, runtime);
    } else {
      occupy_device(place, runtime);
    }
  }
}

bool any_failed(const std::vector<Place>& places) {
  return std::any_of(places.begin(), places.end(),
                     [](const Place& place) { return !place.problem.empty(); });
}

bool all_exact(const std::vector<Place>& places) {
  return !any_failed(places) && std::all_of(places.begin(), places.end(), [](const Place& place) {
    return place.got == place.base;
  });
}

}  // namespace replay
