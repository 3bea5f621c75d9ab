// What kernels printed: records that the device wrote into a buffer (native/devicelib/printf.cl
// has their layout), turned into text on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vgpu::hip {

using PrintfFormats = std::map<uint64_t, std::string>;  // by hash of the format string

// The code object's list: "0:0:<hash in hex>,<format>".
PrintfFormats read_formats(const std::vector<std::string>& listed);

struct PrintedText {
  std::string text;
  bool to_stderr = false;
};

// Every record of a filled buffer. A damaged one ends the list with a note of that.
std::vector<PrintedText> read_records(const uint8_t* records, size_t bytes,
                                      const PrintfFormats& formats);

}  // namespace vgpu::hip
