// Where inlined functions were called, from the .debug_info of a code object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exec/report/source_lines.h"

namespace vgpu {

class InlinedCalls {
 public:
  // `lines` are those of the same ELF: they know the files.
  InlinedCalls(const std::vector<uint8_t>& elf, const SourceLines& lines);

  // "file:line" of every call through which the code at `address` came to be there, innermost
  // first; empty where nothing was inlined.
  std::vector<std::string> find(uint64_t address) const;

  struct Site {
    uint64_t low, high;  // addresses [low, high)
    uint32_t depth;      // inner ones are deeper
    uint32_t line;
    std::string file;
  };

 private:
  std::vector<Site> sites_;  // as they stand in the file: outer before inner
};

// "inner.h:3 -> outer.hip:20": the line of the code, then those of the calls around it, as
// rocprofv3 writes them. Empty when the code object has no debug information.
std::string source_chain(const SourceLines& lines, const InlinedCalls& calls, uint64_t address);

}  // namespace vgpu
