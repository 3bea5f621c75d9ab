#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace replay {
namespace {

constexpr uint64_t kChunk = 8u << 20;  // a multiple of the page

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

// What the application left: the changed pages where there are some, else what was there before.
void overlay(const Region& region, const Image& after, uint64_t offset, uint64_t size,
             uint8_t* expected) {
  auto run = std::upper_bound(region.runs.begin(), region.runs.end(), offset / kPage,
                              [](uint64_t page, const Run& r) { return page < r.first + r.count; });
  for (; run != region.runs.end() && run->first * kPage < offset + size; ++run) {
    const uint64_t begin = std::max(offset, run->first * kPage);
    const uint64_t end = std::min({offset + size, (run->first + run->count) * kPage, region.size});
    std::memcpy(expected + (begin - offset),
                after.data() + run->offset + (begin - run->first * kPage), end - begin);
  }
}

template <typename List>
void extend(List& list, uint64_t begin, uint64_t end) {
  if (!list.empty() && list.back().second == begin) {
    list.back().second = end;
  } else {
    list.emplace_back(begin, end);
  }
}

// Ranges that overlap or touch become one.
void join(std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
  std::sort(ranges.begin(), ranges.end());
  size_t kept = 0;
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first <= ranges[kept].second) {
      ranges[kept].second = std::max(ranges[kept].second, ranges[i].second);
    } else {
      ranges[++kept] = ranges[i];
    }
  }
  if (!ranges.empty()) ranges.resize(kept + 1);
}

void note_difference(Difference& difference, uint64_t at, const uint8_t* found,
                     const uint8_t* expected, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i) {
    if (found[i] == expected[i]) continue;
    if (difference.bytes++ == 0) {
      difference.first = at + i;
      difference.expected = expected[i];
      difference.found = found[i];
    }
  }
  const uint64_t page = at / kPage;
  if (!difference.runs.empty() &&
      difference.runs.back().first + difference.runs.back().second == page) {
    ++difference.runs.back().second;
  } else {
    difference.runs.emplace_back(page, 1);
  }
}

}  // namespace

Image::Image(const std::string& path, uint64_t least_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info{};
  if (fd < 0 || fstat(fd, &info) != 0) {
    throw Failure("cannot read " + path + ": " + std::strerror(errno));
  }
  size_ = static_cast<uint64_t>(info.st_size);
  void* mapped = size_ ? mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0) : nullptr;
  close(fd);
  if (mapped == MAP_FAILED || size_ < least_bytes) {
    throw Failure(path + " is shorter than the capture says");
  }
  data_ = static_cast<const uint8_t*>(mapped);
}

Image::~Image() {
  if (data_) munmap(const_cast<uint8_t*>(data_), size_);
}

Memory::Memory(const std::vector<Region>& regions, const Runtime& runtime)
    : runtime_(runtime), now_(kChunk), expected_(kChunk) {
  for (const Region& region : regions) {
    Held held{&region, std::make_unique<Image>(region.before, region.size), nullptr, {}};
    if (!region.after.empty()) held.after = std::make_unique<Image>(region.after, 1);
    for (const Run& run : region.runs) {
      const uint64_t begin = run.first * kPage;
      const uint64_t end = std::min(begin + run.count * kPage, region.size);
      if (!held.after || begin >= end || run.offset + (end - begin) > held.after->size()) {
        throw Failure("the changed pages of region 0x" + hex(region.base) + " are incomplete");
      }
      extend(held.dirty, begin, end);
    }
    held_.push_back(std::move(held));
  }
}

void Memory::put(const Held& held, uint64_t begin, uint64_t end) const {
  write(*held.region, begin, held.before->data() + begin, end - begin);
}

void Memory::write(const Region& region, uint64_t offset, const uint8_t* content,
                   uint64_t size) const {
  auto* to = reinterpret_cast<uint8_t*>(region.base + offset);
  if (region.host) {
    std::memcpy(to, content, size);
  } else {
    runtime_.copy(to, content, size);
  }
}

void Memory::edit(uint64_t address, const uint8_t* content, uint64_t size) {
  for (Held& held : held_) {
    const uint64_t offset = address - held.region->base;
    if (offset >= held.region->size) continue;
    if (size > held.region->size - offset) break;
    write(*held.region, offset, content, size);
    held.dirty.emplace_back(offset, offset + size);
    return;
  }
  throw Failure("an edit at 0x" + hex(address) + " lies in no region");
}

void Memory::restore() {
  for (const Held& held : held_) {
    if (fresh_) {
      put(held, 0, held.region->size);
    } else {
      for (const auto& [begin, end] : held.dirty) put(held, begin, end);
    }
  }
  fresh_ = false;
}

const uint8_t* Memory::read(const Region& region, uint64_t offset, uint64_t size) {
  const auto* from = reinterpret_cast<const uint8_t*>(region.base + offset);
  if (region.host) return from;
  runtime_.copy(now_.data(), from, size);
  return now_.data();
}

void Memory::compare_region(Held& held, const std::string& dump, Comparison& result) {
  const Region& region = *held.region;
  Difference difference;
  difference.base = region.base;
  std::ofstream file;
  std::vector<std::pair<uint64_t, uint64_t>> dirty;
  for (uint64_t offset = 0; offset < region.size; offset += kChunk) {
    const uint64_t size = std::min(kChunk, region.size - offset);
    const uint8_t* now = read(region, offset, size);
    const uint8_t* before = held.before->data() + offset;
    const uint8_t* expected = before;
    if (held.after) {
      std::memcpy(expected_.data(), before, size);
      overlay(region, *held.after, offset, size, expected_.data());
      expected = expected_.data();
    }
    if (std::memcmp(now, expected, size) == 0 && std::memcmp(now, before, size) == 0) continue;
    for (uint64_t at = 0; at < size; at += kPage) {
      const uint64_t bytes = std::min(kPage, size - at);
      if (std::memcmp(now + at, before + at, bytes) != 0) {
        extend(dirty, offset + at, offset + at + bytes);
      }
      if (std::memcmp(now + at, expected + at, bytes) == 0) continue;
      note_difference(difference, offset + at, now + at, expected + at, bytes);
      if (dump.empty()) continue;
      if (!file.is_open()) file.open(dump + "/region_" + hex(region.base) + ".bin");
      file.write(reinterpret_cast<const char*>(now + at), static_cast<std::streamsize>(bytes));
    }
  }
  if (file.is_open() && !file.flush()) throw Failure("cannot write to " + dump);
  for (const auto& [begin, end] : dirty) result.changed_bytes += end - begin;
  for (const auto& range : dirty) held.dirty.push_back(range);
  join(held.dirty);
  if (difference.bytes) result.differences.push_back(std::move(difference));
  ++result.regions;
  result.bytes += region.size;
}

Comparison Memory::compare(const std::string& dump) {
  Comparison result;
  for (Held& held : held_) compare_region(held, dump, result);
  return result;
}

}  // namespace replay
