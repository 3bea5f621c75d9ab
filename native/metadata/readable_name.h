// A kernel's name as people write it: the host's demangler, and the 16-bit types that it may not know.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace vrocm {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// A C++ library older than GCC 13's fails on _Float16 and takes __bf16 for something else. Types of
// decimal numbers, which no kernel has and which count as built in, too, stand for them meanwhile.
inline std::string readable_name(const std::string& symbol) {
  if (symbol.compare(0, 2, "_Z") != 0) return symbol;
  const std::string known = replaced(replaced(symbol, "DF16_", "De"), "DF16b", "Df");
  using Text = std::unique_ptr<char, decltype(&std::free)>;
  const Text text(abi::__cxa_demangle(known.c_str(), nullptr, nullptr, nullptr), std::free);
  if (!text) return symbol;
  if (known == symbol) return text.get();
  return replaced(replaced(text.get(), "decimal128", "_Float16"), "decimal32", "__bf16");
}

}  // namespace vrocm
