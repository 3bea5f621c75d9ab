// What the program advised about managed memory, by page: hints that change nothing here but what
// the queries tell back.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace vgpu::hip {

struct Advice {
  bool read_mostly = false, coarse = false;
  int preferred = hipInvalidDeviceId, prefetched = hipInvalidDeviceId;
  std::set<int> accessed_by;
};

// Whole pages: a hint for a part of a page counts for the page.
struct PageRange {
  PageRange(uintptr_t address, size_t bytes);
  uintptr_t begin, end;
};

class AdviceMap {
 public:
  static AdviceMap& get();
  void change(PageRange range, const std::function<void(Advice&)>& apply);
  void forget(PageRange range);  // memory that was freed
  // What holds for every page of the range; where pages differ, the value that says so.
  Advice common(PageRange range) const;
  bool coherency_differs(PageRange range) const;

 private:
  using Pieces = std::map<uintptr_t, Advice>;  // each until the next one begins
  Pieces::iterator split(uintptr_t address);
  Pieces::const_iterator piece_at(uintptr_t address) const;

  mutable std::mutex mutex_;
  Pieces pieces_{{0, Advice{}}};
};

}  // namespace vgpu::hip
