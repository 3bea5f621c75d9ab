#include "contents/snapshot.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "hooks/json_text.h"
#include "hooks/tables.h"

namespace capture {
namespace {

// A multiple of the page, and small enough to stay in the cache between reading and writing.
constexpr uint64_t kChunk = 1u << 20;

class File {
 public:
  File(const std::string& path, int flags) : path_(path), fd_(open(path.c_str(), flags, 0644)) {
    if (fd_ < 0) fail("open");
  }
  ~File() { close(fd_); }
  File(const File&) = delete;

  void write_at(const uint8_t* data, uint64_t size, uint64_t offset) {
    while (size) {
      const ssize_t written = pwrite(fd_, data, size, static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("write");
      data += written;
      offset += static_cast<uint64_t>(written);
      size -= static_cast<uint64_t>(written);
    }
  }
  void read_at(uint8_t* data, uint64_t size, uint64_t offset) {
    while (size) {
      const ssize_t got = pread(fd_, data, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail("read");
      data += got;
      offset += static_cast<uint64_t>(got);
      size -= static_cast<uint64_t>(got);
    }
  }
  bool is_hole(uint64_t offset, uint64_t size) const {
    const off_t data = lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
    return data < 0 ? errno == ENXIO : static_cast<uint64_t>(data) >= offset + size;
  }
  void resize(uint64_t size) {
    if (ftruncate(fd_, static_cast<off_t>(size)) != 0) fail("resize");
  }

 private:
  [[noreturn]] void fail(const char* what) {
    throw Failure(std::string("cannot ") + what + " " + path_ + ": " + std::strerror(errno));
  }
  std::string path_;
  int fd_;
};

bool is_zero(const uint8_t* data, uint64_t size) {
  return data[0] == 0 && std::memcmp(data, data + 1, size - 1) == 0;
}

// Calls `use(first byte, bytes)` for every run of pages of a chunk for which `wanted` holds.
template <typename Wanted, typename Use>
void for_runs(uint64_t size, const Wanted& wanted, const Use& use) {
  uint64_t start = 0;
  bool inside = false;
  for (uint64_t at = 0; at < size; at += kPage) {
    const bool is = wanted(at, std::min(kPage, size - at));
    if (is && !inside) start = at;
    if (!is && inside) use(start, at - start);
    inside = is;
  }
  if (inside) use(start, size - start);
}

}  // namespace

void read_memory(const Region& region, uint64_t offset, uint64_t size, uint8_t* to) {
  if (region.host) {
    std::memcpy(to, reinterpret_cast<const void*>(region.host + offset), size);
    return;
  }
  const auto* from = reinterpret_cast<const void*>(region.base + offset);
  const hsa_status_t status = core().hsa_memory_copy_fn(to, from, size);
  if (status != HSA_STATUS_SUCCESS) {
    throw Failure(describe("hsa_memory_copy", status) + " while reading 0x" +
                  hex(region.base + offset));
  }
}

Snapshot::Snapshot(std::string folder, uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes), now_(kChunk), then_(kChunk) {}

std::string Snapshot::path(const char* part, const Region& region) const {
  return folder_ + "/" + part + "/region_" + hex(region.base) + ".bin";
}

void Snapshot::count(uint64_t bytes) {
  stored_ += bytes;
  if (max_bytes_ && stored_ > max_bytes_) {
    throw Failure("the memory to store exceeds --max-bytes " + std::to_string(max_bytes_));
  }
}

uint64_t Snapshot::write_before(const Region& region) {
  File file(path("memory", region), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC);
  file.resize(region.size);
  const uint64_t before = stored_;
  for (uint64_t offset = 0; offset < region.size; offset += kChunk) {
    const uint64_t size = std::min(kChunk, region.size - offset);
    read_memory(region, offset, size, now_.data());
    for_runs(
        size, [&](uint64_t at, uint64_t bytes) { return !is_zero(now_.data() + at, bytes); },
        [&](uint64_t at, uint64_t bytes) {
          count(bytes);
          file.write_at(now_.data() + at, bytes, offset + at);
        });
  }
  return stored_ - before;
}

Changes Snapshot::write_after(const Region& region) {
  File before(path("memory", region), O_RDONLY | O_CLOEXEC);
  std::unique_ptr<File> after;  // made for the first change: most regions have none
  Changes changes;
  for (uint64_t offset = 0; offset < region.size; offset += kChunk) {
    const uint64_t size = std::min(kChunk, region.size - offset);
    read_memory(region, offset, size, now_.data());
    if (before.is_hole(offset, size)) {  // reading it would fill memory with pages of zeros
      if (is_zero(now_.data(), size)) continue;
      std::memset(then_.data(), 0, size);
    } else {
      before.read_at(then_.data(), size, offset);
    }
    if (std::memcmp(now_.data(), then_.data(), size) == 0) continue;
    for_runs(
        size,
        [&](uint64_t at, uint64_t bytes) {
          return std::memcmp(now_.data() + at, then_.data() + at, bytes) != 0;
        },
        [&](uint64_t at, uint64_t bytes) {
          count(bytes);
          if (!after) {
            after = std::make_unique<File>(path("after", region),
                                           O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC);
          }
          after->write_at(now_.data() + at, bytes, changes.bytes);
          changes.bytes += bytes;
          changes.runs.emplace_back((offset + at) / kPage, (bytes + kPage - 1) / kPage);
        });
  }
  return changes;
}

void write_file(const std::string& path, const void* data, size_t size) {
  File file(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC);
  file.write_at(static_cast<const uint8_t*>(data), size, 0);
}

}  // namespace capture
