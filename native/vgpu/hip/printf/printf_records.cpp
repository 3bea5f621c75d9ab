#include "hip/printf/printf_records.h"

#include <cstring>

#include "hip/printf/printf_format.h"

namespace vgpu::hip {

PrintfFormats read_formats(const std::vector<std::string>& listed) {
  PrintfFormats formats;
  for (const std::string& entry : listed) {
    size_t comma = entry.find(',');
    size_t colon = entry.rfind(':', comma);
    if (comma == std::string::npos || colon == std::string::npos) continue;
    uint64_t hash = std::strtoull(entry.c_str() + colon + 1, nullptr, 16);
    formats[hash] = entry.substr(comma + 1);
  }
  return formats;
}

std::vector<PrintedText> read_records(const uint8_t* records, size_t bytes,
                                      const PrintfFormats& formats) {
  std::vector<PrintedText> printed;
  for (size_t at = 0; at + 4 <= bytes;) {
    uint32_t control;
    std::memcpy(&control, records + at, 4);
    size_t length = control >> 2;
    bool constant = control & 2;
    if (length < 12 || length > bytes - at) {
      printed.push_back({"virtual ROCm: the kernel's printf buffer is damaged\n", true});
      break;
    }
    PrintfArguments arguments(records + at + 4, length - 4);
    std::string format;
    if (constant) {
      auto known = formats.find(arguments.word());
      format = known == formats.end() ? "(unknown printf format)\n" : known->second;
    } else {
      format = arguments.text();
    }
    bool to_stderr = (control & 1) || is_assertion(format);
    printed.push_back({render_printf(format, arguments), to_stderr});
    at += length;
  }
  return printed;
}

}  // namespace vgpu::hip
