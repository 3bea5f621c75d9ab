// Source positions from the DWARF line table of a code object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vgpu {

// "file:line" for a byte offset into the ELF's executable segment, or empty when it has no entry.
std::string find_source_line(const std::vector<uint8_t>& elf, uint64_t offset);

}  // namespace vgpu
