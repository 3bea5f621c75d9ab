// printf's format strings on the host: the device sends the format and its arguments, each argument
// in eight bytes and strings in place, padded to eight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vgpu::hip {

// Reads the arguments of one printf in order.
class PrintfArguments {
 public:
  PrintfArguments(const uint8_t* data, size_t bytes) : at_(data), end_(data + bytes) {}

  bool empty() const { return at_ == end_; }
  uint64_t word();  // 0 when there are no more
  std::string text();

 private:
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  const uint8_t* at_;
  const uint8_t* end_;
};

// What printf would write. As in ROCm the text ends at the first conversion for which there is no
// argument (but a null string may have left nothing), and %n takes one and writes nothing.
std::string render_printf(const std::string& format, PrintfArguments arguments);

// Whether the text is that of a failed assertion of our header, which belongs to stderr.
bool is_assertion(const std::string& format);

}  // namespace vgpu::hip
