// Source positions from the DWARF line table of a code object.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vgpu {

// "file:line" for an address as the ELF counts them, or empty when it has no entry.
std::string find_source_line(const std::vector<uint8_t>& elf, uint64_t address);

// The whole line table, for whoever asks about many addresses.
class SourceLines {
 public:
  explicit SourceLines(const std::vector<uint8_t>& elf);
  std::string find(uint64_t address) const;
  // First and end of the addresses of a line; `file` is the end of a path, from a folder on.
  std::vector<std::pair<uint64_t, uint64_t>> ranges(const std::string& file, uint32_t line) const;
  // The `number`-th file of the table that begins `table` bytes into .debug_line; empty: unknown.
  std::string file(uint64_t table, uint64_t number) const;

 private:
  struct Position {
    uint32_t file;  // in files_; kNoFile where no code is
    uint32_t line;
  };
  static constexpr uint32_t kNoFile = ~uint32_t(0);

  std::map<uint64_t, Position> rows_;  // by address; each holds until the next
  std::vector<std::string> files_;
  std::map<uint64_t, uint32_t> first_file_;  // by the table's offset in .debug_line
};

}  // namespace vgpu
