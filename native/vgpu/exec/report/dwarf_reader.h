// What readers of debug information share: a bounded cursor and the sections of an ELF image.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace vgpu {
namespace dwarf {

// A bounded view that reads little-endian values; reading past the end yields zeros.
class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : p_(data), end_(data + size) {}

  bool done() const { return p_ >= end_; }
  size_t left() const { return size_t(end_ - p_); }
  const uint8_t* position() const { return p_; }
  void skip(uint64_t bytes) { p_ += bytes < left() ? bytes : left(); }

  template <class T>
  T take() {
    T v{};
    if (left() >= sizeof v) std::memcpy(&v, p_, sizeof v);
    skip(sizeof v);
    return v;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; !done(); shift += 7) {
      uint8_t byte = *p_++;
      if (shift < 64) value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80)) break;
    }
    return value;
  }
  int64_t sleb() {
    int64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
      byte = take<uint8_t>();
      if (shift < 64) value |= int64_t(uint64_t(byte & 0x7f) << shift);
      shift += 7;
    } while (byte & 0x80 && !done());
    if (shift < 64 && byte & 0x40) value |= int64_t(~uint64_t(0) << shift);
    return value;
  }
  std::string text() {
    const uint8_t* start = p_;
    while (p_ < end_ && *p_) ++p_;
    std::string s(reinterpret_cast<const char*>(start), size_t(p_ - start));
    skip(1);
    return s;
  }
  Reader sub(uint64_t bytes) {
    Reader part(p_, bytes < left() ? bytes : left());
    skip(bytes);
    return part;
  }

 private:
  const uint8_t *p_, *end_;
};

// The bytes of a section of that name; none when there is no such section.
Reader section(const std::vector<uint8_t>& elf, const char* wanted);

inline std::string string_at(Reader strings, uint64_t offset) {
  strings.skip(offset);
  return strings.text();
}

// Length fields from here on mean 64-bit DWARF, which is not written for this target.
constexpr uint32_t kLongestUnit = 0xfffffff0;

}  // namespace dwarf
}  // namespace vgpu
