#include "hip/printf/printf_format.h"

#include <cstdio>
#include <cstring>

namespace vgpu::hip {
namespace {

constexpr char kAssertionMark[] = "Device-side assertion";

struct Conversion {
  std::string flags;   // "%" with flags, width and precision, stars already replaced
  std::string length;  // "", "h", "hh", "l", "ll", ...
  char kind = 0;
};

// A negative width is the flag "-" and a width; a negative precision is none.
void add_star(int value, std::string& flags) {
  if (value < 0 && flags.back() == '.') flags.pop_back();
  else flags += std::to_string(value);
}

// Parses from the "%" on; returns the number of characters it took, 0 at the end of the text.
size_t parse(const std::string& format, size_t at, PrintfArguments& arguments, Conversion& found) {
  size_t start = at++;
  found.flags = "%";
  for (; at < format.size() && std::strchr("-+ #0123456789.*", format[at]); ++at) {
    if (format[at] == '*') add_star(static_cast<int>(arguments.word()), found.flags);
    else found.flags += format[at];
  }
  for (; at < format.size() && std::strchr("hljztL", format[at]); ++at) found.length += format[at];
  if (at >= format.size()) return 0;
  found.kind = format[at];
  return at + 1 - start;
}

template <class T>
std::string print(const std::string& specification, T value) {
  int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  std::string text(length > 0 ? length : 0, '\0');
  if (length > 0) std::snprintf(&text[0], text.size() + 1, specification.c_str(), value);
  return text;
}

// The device stores integers in eight bytes; how many of them count is in the length.
long long narrow_signed(uint64_t value, const std::string& length) {
  if (length == "hh") return static_cast<signed char>(value);
  if (length == "h") return static_cast<short>(value);
  return length.empty() ? static_cast<int>(value) : static_cast<long long>(value);
}

unsigned long long narrow_unsigned(uint64_t value, const std::string& length) {
  if (length == "hh") return static_cast<unsigned char>(value);
  if (length == "h") return static_cast<unsigned short>(value);
  return length.empty() ? static_cast<unsigned>(value) : value;
}

std::string convert(const Conversion& conversion, PrintfArguments& arguments) {
  switch (conversion.kind) {
    case '%': return "%";
    case 'n': arguments.word(); return "";
    case 'd':
    case 'i':
      return print(conversion.flags + "lld", narrow_signed(arguments.word(), conversion.length));
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return print(conversion.flags + "ll" + conversion.kind,
                   narrow_unsigned(arguments.word(), conversion.length));
    case 'c': return print(conversion.flags + "c", static_cast<int>(arguments.word()));
    case 's': return print(conversion.flags + "s", arguments.text().c_str());
    case 'p': return print(conversion.flags + "p", reinterpret_cast<void*>(arguments.word()));
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      uint64_t bits = arguments.word();
      double value;
      std::memcpy(&value, &bits, 8);
      return print(conversion.flags + conversion.kind, value);
    }
    default: return conversion.flags + conversion.length + conversion.kind;
  }
}

}  // namespace

uint64_t PrintfArguments::word() {
  uint64_t value = 0;
  if (left() >= 8) {
    std::memcpy(&value, at_, 8);
    at_ += 8;
  } else {
    at_ = end_;
  }
  return value;
}

std::string PrintfArguments::text() {
  size_t length = strnlen(reinterpret_cast<const char*>(at_), left());
  std::string value(reinterpret_cast<const char*>(at_), length);
  size_t taken = (length / 8 + 1) * 8;  // the terminating zero is part of it
  at_ += taken < left() ? taken : left();
  return value;
}

std::string render_printf(const std::string& format, PrintfArguments arguments) {
  std::string text;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    const bool missing = arguments.empty();
    Conversion conversion;
    size_t taken = parse(format, at, arguments, conversion);
    if (taken == 0) return text + format.substr(at);
    if (missing && !std::strchr("%s", conversion.kind)) return text;
    text += convert(conversion, arguments);
    at += taken;
  }
  return text;
}

bool is_assertion(const std::string& format) {
  return format.find(kAssertionMark) != std::string::npos;
}

}  // namespace vgpu::hip
