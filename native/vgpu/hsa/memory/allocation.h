// The register of all memory that programs hold: which range, whose, who may access it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "hsa/agent/agent.h"

namespace vrocm {

struct DeallocationCallback {
  void* pointer;
  hsa_amd_deallocation_callback_t function;
  void* user_data;
};

struct Allocation {
  uint64_t base;
  size_t bytes;  // as mapped, a multiple of the page size for pool memory
  size_t requested;
  hsa_amd_pointer_type_t type;
  Pool* pool;  // null for locked host memory of no particular pool
  Agent* owner;
  std::string label;
  void* user_data = nullptr;
  std::vector<Agent*> access = {};  // who may access it, the owner included
  std::vector<DeallocationCallback> on_free = {};
  int lock_count = 0;  // locked host memory: nested locks
  int fd = -1;         // memory shared between processes: its file
};

// Locked access to the register.
class Allocations {
 public:
  Allocations();  // locks
  ~Allocations();
  Allocations(const Allocations&) = delete;

  Allocation& add(Allocation allocation);
  Allocation* find(const void* pointer);  // whose range holds the pointer
  Allocation* at(const void* pointer);    // that starts there
  void remove(uint64_t base);

 private:
  std::unique_lock<std::mutex> lock_;
};

// Lets agents access the range, telling the device when a GPU gains or loses access.
void set_access(Allocation& allocation, std::vector<Agent*> access);

// The label of this thread's next allocation (vrocm_set_allocation_label), or a numbered one.
std::string next_label(const char* kind);

// Memory of a pool, zeroed, accessible to `access`. Null when the pool or aperture is exhausted.
void* allocate_from(Pool& pool, size_t bytes, std::vector<Agent*> access, const char* kind);
hsa_status_t free_allocation(void* pointer);

}  // namespace vrocm
