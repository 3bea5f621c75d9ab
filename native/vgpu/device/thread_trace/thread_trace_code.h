// The code that a thread trace refers to: every function that was entered, as assembly text.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace vgpu {

struct CodeRow {
  uint64_t address;          // as the code object counts them
  std::string text, source;  // assembly; "file:line -> caller:line", empty without -g
};

struct CodeFunction {
  uint64_t base;                  // where address 0 of its code object is
  std::string symbol, demangled;  // empty: unknown
  std::vector<CodeRow> rows;
};

// Functions by address, of every code object to which one of the program counters belongs. An
// instruction outside of any function is a nameless function of its own, also one of which nothing
// else is known.
class CodeListing {
 public:
  explicit CodeListing(const std::vector<uint64_t>& program_counters);

  const std::vector<CodeFunction>& functions() const { return functions_; }
  // Number of the instruction's row, counted over all functions.
  uint32_t row(uint64_t pc) const { return rows_.at(pc); }

 private:
  std::vector<CodeFunction> functions_;
  std::unordered_map<uint64_t, uint32_t> rows_;
};

// Empty for a name that is not mangled.
std::string demangled_name(const std::string& symbol);

}  // namespace vgpu
