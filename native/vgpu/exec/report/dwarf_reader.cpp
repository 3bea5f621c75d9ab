#include "exec/report/dwarf_reader.h"

#include <elf.h>

namespace vgpu {
namespace dwarf {

Reader section(const std::vector<uint8_t>& elf, const char* wanted) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return {nullptr, 0};
  std::memcpy(&header, elf.data(), sizeof header);
  auto read = [&](unsigned index, Elf64_Shdr& out) {
    uint64_t at = header.e_shoff + uint64_t(index) * sizeof out;
    if (at + sizeof out > elf.size()) return false;
    std::memcpy(&out, elf.data() + at, sizeof out);
    return out.sh_type == SHT_NOBITS || out.sh_offset + out.sh_size <= elf.size();
  };
  Elf64_Shdr names, candidate;
  if (!read(header.e_shstrndx, names)) return {nullptr, 0};
  for (unsigned n = 0; n < header.e_shnum; ++n) {
    if (!read(n, candidate) || candidate.sh_name >= names.sh_size) continue;
    uint64_t at = names.sh_offset + candidate.sh_name;
    const char* name = reinterpret_cast<const char*>(elf.data()) + at;
    if (std::strncmp(name, wanted, names.sh_size - candidate.sh_name) == 0)
      return {elf.data() + candidate.sh_offset, candidate.sh_size};
  }
  return {nullptr, 0};
}

}  // namespace dwarf
}  // namespace vgpu
