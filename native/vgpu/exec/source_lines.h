// Source positions from the DWARF line table of a code object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vgpu {

// "file:line" for an address as the ELF counts them, or empty when it has no entry.
std::string find_source_line(const std::vector<uint8_t>& elf, uint64_t address);

}  // namespace vgpu
