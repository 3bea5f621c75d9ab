// Memory on disk: what was there before the dispatch, and the pages that it changed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "contents/memory.h"

namespace capture {

constexpr uint64_t kPage = 4096;  // counted from the start of a region

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Changes {
  std::vector<std::pair<uint64_t, uint64_t>> runs;  // first page, count
  uint64_t bytes = 0;                               // stored, the last page of a region in part
};

// Streams regions in chunks, so that their size does not matter. Throws Failure.
class Snapshot {
 public:
  Snapshot(std::string folder, uint64_t max_bytes);

  // memory/region_<base>.bin: as long as the region, with holes for pages of zeros. Returns the bytes
  // that are stored.
  uint64_t write_before(const Region& region);

  // after/region_<base>.bin: the changed pages one behind the other; no file when there are none.
  Changes write_after(const Region& region);

  uint64_t stored() const { return stored_; }

 private:
  void count(uint64_t bytes);
  std::string path(const char* part, const Region& region) const;

  std::string folder_;
  uint64_t max_bytes_;
  uint64_t stored_ = 0;
  std::vector<uint8_t> now_, then_;
};

// Host memory is read in place; device memory through the runtime. Throws Failure.
void read_memory(const Region& region, uint64_t offset, uint64_t size, uint8_t* to);

void write_file(const std::string& path, const void* data, size_t size);

}  // namespace capture
