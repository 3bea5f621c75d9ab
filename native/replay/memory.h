// The captured memory: put it back, and compare what a replay left with what the application left.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime.h"

namespace replay {

// A file in memory, read only.
class Image {
 public:
  Image(const std::string& path, uint64_t least_bytes);
  ~Image();
  Image(const Image&) = delete;
  const uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  const uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
};

struct Difference {
  uint64_t base = 0;   // of the region
  uint64_t bytes = 0;  // that differ
  uint64_t first = 0;  // offset of the first of them
  uint8_t expected = 0, found = 0;
  std::vector<std::pair<uint64_t, uint64_t>> runs;  // pages: first, count
};

struct Comparison {
  uint64_t regions = 0, bytes = 0, changed_bytes = 0;
  std::vector<Difference> differences;
};

class Memory {
 public:
  Memory(const std::vector<Region>& regions, const Runtime& runtime);

  // Everything the first time; then only pages that a replay is known to change.
  void restore();

  // Other content at an address inside a region, until memory is restored.
  void edit(uint64_t address, const uint8_t* content, uint64_t size);

  // Reads all memory. `dump`: a folder that gets the differing pages of each region; empty: none.
  Comparison compare(const std::string& dump);

 private:
  struct Held {
    const Region* region;
    std::unique_ptr<Image> before, after;
    std::vector<std::pair<uint64_t, uint64_t>> dirty;  // byte ranges: begin, end
  };
  void compare_region(Held& held, const std::string& dump, Comparison& result);
  void put(const Held& held, uint64_t begin, uint64_t end) const;
  void write(const Region& region, uint64_t offset, const uint8_t* content, uint64_t size) const;
  const uint8_t* read(const Region& region, uint64_t offset, uint64_t size);

  const Runtime& runtime_;
  std::vector<Held> held_;
  std::vector<uint8_t> now_, expected_;
  bool fresh_ = true;
};

}  // namespace replay
